# For ~/.zshrc: tells soundd how commands have ended that took longer than SOUNDD_SECONDS (10), as the value `shell`.

soundd_preexec() {
  emulate -L zsh
  soundd_start=$SECONDS
  # The first word of what runs, without its folder.
  soundd_program=${${3%%[[:space:];&|]*}##*/}
}

soundd_precmd() {
  local code=$? result=passed
  emulate -L zsh
  # After an empty line there was no command.
  [[ -n ${soundd_start-} ]] || return 0
  local -i seconds=$((SECONDS - soundd_start))
  unset soundd_start
  # Not what Ctrl-C has ended (130), or Ctrl-Z has suspended (148).
  if ((seconds < ${SOUNDD_SECONDS:-10} || code == 130 || code == 148)); then return 0; fi
  if ((code)); then result=failed; fi
  if [[ -z $soundd_program || -n ${soundd_program//[A-Za-z0-9_.+-]/} ]]; then soundd_program='?'; fi
  # Without a job of this shell, so that the prompt does not wait.
  soundd set --if-running "shell=$result $soundd_program" </dev/null &>/dev/null &!
}

autoload -Uz add-zsh-hook
add-zsh-hook preexec soundd_preexec
add-zsh-hook precmd soundd_precmd
