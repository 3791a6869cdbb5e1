# bash completion for soundd. The program says what fits: see Sources/soundd/Commands/Completion. Nothing here is evaluated
# that comes from a name or a file.

# Sets `plain` to a word without its quotes, and `quote` to the quotation mark that is still open at its end.
__soundd_unquote() {
  local word=$1 char i
  plain='' quote=''
  for ((i = 0; i < ${#word}; i++)); do
    char=${word:i:1}
    if [[ $quote == "'" ]]; then
      if [[ $char == "'" ]]; then quote=''; else plain+=$char; fi
    elif [[ $char == \\ ]]; then
      plain+=${word:++i:1}
    elif [[ $char == "$quote" && -n $quote ]]; then
      quote=''
    elif [[ -z $quote && $char == [\'\"] ]]; then
      quote=$char
    else
      plain+=$char
    fi
  done
}

_soundd() {
  COMPREPLY=()
  # bash also splits at ':' and '='. What no space separates is one word here: `head` is the part of the last word that
  # bash does not replace.
  local rest=${COMP_LINE:0:COMP_POINT} gap piece head='' last='' plain quote i
  local -a words=()
  for ((i = 0; i <= COMP_CWORD; i++)); do
    gap=${rest%%[![:space:]]*}
    rest=${rest:${#gap}}
    piece=${COMP_WORDS[i]}
    if ((i == COMP_CWORD)); then piece=$rest; else rest=${rest#"$piece"}; fi
    if ((i == 0)) || [[ -n $gap ]]; then
      words+=("$piece") head='' last=$piece
    else
      words[-1]+=$piece head+=$last last=$piece
    fi
  done
  if [[ $last == [:=]* && -z ${last//[:=]/} ]]; then head+=$last last=''; fi

  local program=${words[0]}
  if [[ $program == '~/'* ]]; then program=$HOME/${program:2}; fi
  type -P -- "$program" >/dev/null || program=soundd
  local -a arguments=()
  for ((i = 1; i < ${#words[@]}; i++)); do
    __soundd_unquote "${words[i]}"
    arguments+=("$plain")
  done
  local word=$plain open=$quote candidate kind
  ((${#words[@]} > 1)) || return
  __soundd_unquote "$head"
  local skipped=${#plain}

  {
    read -r kind || return
    case $kind in
      files*)
        compopt -o default
        return
        ;;
      beginnings) compopt -o nospace ;;
    esac
    while IFS=$'\t' read -r candidate _; do
      if [[ $candidate != "$word"* ]]; then continue; fi
      candidate=${candidate:skipped}
      case $open in
        \') candidate=${candidate//"'"/"'\\''"} ;;
        \")
          candidate=${candidate//'\'/'\\'}
          candidate=${candidate//'"'/'\"'}
          candidate=${candidate//'$'/'\$'}
          candidate=${candidate//'`'/'\`'}
          ;;
        *) printf -v candidate %q "$candidate" ;;
      esac
      COMPREPLY+=("$candidate")
    done
  } < <(command -- "$program" __complete "${arguments[@]}" 2>/dev/null)
}

complete -F _soundd soundd
