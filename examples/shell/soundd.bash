# For ~/.bashrc: tells soundd how commands have ended that took longer than SOUNDD_SECONDS (10), as the value `shell`.
# It needs bash 4.4. It changes PS0 and PROMPT_COMMAND, and keeps what they hold.

soundd_prompt() {
  local code=$? result=passed limit=10 seconds program='?'
  # After an empty line there was no command.
  if [[ -n ${soundd_start-} ]]; then
    seconds=$((SECONDS - soundd_start))
    soundd_start=
    # A number and nothing else, because arithmetic would run a command in the text.
    if [[ ${SOUNDD_SECONDS-} =~ ^[0-9]{1,9}$ ]]; then limit=$((10#$SOUNDD_SECONDS)); fi
    # Not what Ctrl-C has ended (130), or Ctrl-Z has suspended (148).
    if ((seconds >= limit && code != 130 && code != 148)); then
      if ((code)); then result=failed; fi
      # The line as you typed it, after its number. With HISTCONTROL it may be an older one.
      if [[ $(HISTTIMEFORMAT='' history 1) =~ ^\ *[0-9]+\*?\ +([A-Za-z0-9_./+-]+)([[:space:]\;\|\&]|$) ]]; then
        program=${BASH_REMATCH[1]##*/}
      fi
      # In a shell of its own, so that the prompt does not wait and no job is reported.
      (soundd set --if-running "shell=$result $program" </dev/null &>/dev/null &)
    fi
  fi
  return "$code"
}

# It must not come from the environment, because arithmetic would run a command in it.
unset soundd_start
if [[ $- == *i* && ${PROMPT_COMMAND-} != *soundd_prompt* ]]; then
  # bash expands PS0 before each command. This expansion is empty.
  PS0=${PS0-}'${PS0:0:$((soundd_start = SECONDS, 0))}'
  # First, so that it sees how the command ended. A line break, because a semicolon may already be there.
  PROMPT_COMMAND=soundd_prompt${PROMPT_COMMAND:+$'\n'$PROMPT_COMMAND}
fi
