# For ~/.config/fish/conf.d: tells soundd how commands have ended that took longer than SOUNDD_SECONDS (10), as the
# value `shell`.

function soundd_postexec --on-event fish_postexec
    set -l code $status
    set -l seconds 10
    string match -qr '^[0-9]{1,9}$' -- "$SOUNDD_SECONDS"; and set seconds $SOUNDD_SECONDS
    # Not what Ctrl-C has ended (130), or Ctrl-Z has suspended (148).
    if test $CMD_DURATION -lt (math "$seconds * 1000"); or contains $code 130 148
        return
    end
    set -l result passed
    test $code -eq 0; or set result failed
    # The first word of the line, without its folder.
    set -l program (string match -r '^\s*[A-Za-z0-9_./+-]+(?=[\s;|&]|$)' -- $argv[1] | string replace -r '.*[\s/]' '')
    test -n "$program"; or set program '?'
    # In the background, so that the prompt does not wait.
    soundd set --if-running "shell=$result $program" </dev/null &>/dev/null &
    disown
end
