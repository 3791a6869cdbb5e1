# For ~/.zshrc: tells soundd how commands have ended that took longer than SOUNDD_SECONDS (10), as the value `shell`.

soundd_preexec() {
  emulate -L zsh
  soundd_start=$SECONDS
  # The first word of what runs, without its folder.
  soundd_program=${${3%%[[:space:];&|]*}##*/}
}

soundd_precmd() {
  local code=$? result=passed
  local -i limit=10
  emulate -L zsh
  # After an empty line there was no command.
  [[ -n ${soundd_start-} ]] || return 0
  local -i seconds=$((SECONDS - soundd_start))
  unset soundd_start
  # A number and nothing else, because arithmetic would run a command in the text.
  if [[ ${SOUNDD_SECONDS-} == <0-999999999> ]]; then limit=$SOUNDD_SECONDS; fi
  # Not what Ctrl-C has ended (130), or Ctrl-Z has suspended (148).
  if ((seconds < limit || code == 130 || code == 148)); then return 0; fi
  if ((code)); then result=failed; fi
  if [[ -z $soundd_program || -n ${soundd_program//[A-Za-z0-9_.+-]/} ]]; then soundd_program='?'; fi
  # Without a job of this shell, so that the prompt does not wait.
  soundd set --if-running "shell=$result $soundd_program" </dev/null &>/dev/null &!
}

# It must not come from the environment, because arithmetic would run a command in it.
unset soundd_start
autoload -Uz add-zsh-hook
add-zsh-hook preexec soundd_preexec
add-zsh-hook precmd soundd_precmd
