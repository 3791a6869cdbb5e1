# fish completion for soundd. The program says what fits: see Sources/soundd/Commands/Completion. Nothing here is evaluated
# that comes from a name or a file.

function __soundd_complete
    # The words before the cursor without their quotes; fish 4 has another name for that.
    set -l words (commandline --tokens-expanded -pc 2>/dev/null; or commandline -opc)
    set -l current (commandline -ct)
    # An open quotation mark cannot be taken off.
    set -l word (string unescape -- $current; or string trim --left --chars '\'"' -- $current)
    set -l program $words[1]
    type -q -- $program; or set program soundd
    set -l lines (command $program __complete $words[2..] "$word" 2>/dev/null)
    if string match -q 'files*' -- "$lines[1]"
        # Of --name=value only the value is a file.
        set -l prefix (string match -r -- '^--[^=]*=' $current; or echo)
        printf '%s\n' $prefix(__fish_complete_path (string replace -r -- '^--[^=]*=' '' $current))
    else
        printf '%s\n' $lines[2..]
    end
end

complete -c soundd -f -a '(__soundd_complete)'
