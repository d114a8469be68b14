#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Completes names that a shell could run, in an interactive shell on a terminal, and presses Enter.

Usage: completion_hostile.py bash|zsh|fish SCRIPT
PATH begins with a directory whose `assay` answers completion and writes the arguments of all other
calls to the file `ran`. Recordings and files with hostile names are made here from template.data,
whose one event is called by 48 times X. No file `pwned` may come into being; where a name is
completed outside of quotes, it arrives as it is.
"""
import os
import pty
import re
import select
import signal
import sys

NAMES = ["x$(touch pwned)", "x`touch pwned`", "x;touch pwned;", "x|touch pwned", "x>pwned", "x'y;touch pwned;'", 'x"$(touch pwned)"',
         "x\\$(touch pwned)", "x{a,b}", "x*?[a]", "x!t", "x<(touch pwned)", "x\\"]
DEADLINE_S = 60
# Each prompt has a number of its own, so that one that is drawn again is known; ^T shows the line as it is.
SETUP = {
    "bash": ["bind 'set bell-style none'; bind 'set enable-bracketed-paste off'", "show() { echo \"<<<$READLINE_LINE>>>\"; }",
             "bind -x '\"\\C-t\": show'", "source SCRIPT", "PROMPT_COMMAND='n=$((n+1))' PS2=@more@ PS1='@$n@'"],
    "zsh": ["PROMPT_EOL_MARK= RPS1=; setopt no_beep no_list_beep no_auto_list",
            "autoload -U compinit; compinit -u -D; source SCRIPT", "show() { print -r -- \"<<<$BUFFER>>>\"; zle -I }; zle -N show",
            "bindkey '^T' show", "precmd() { n=$((n+1)); PS1=\"@$n@\" }; PS2=@more@"],
    "fish": ["bind \\ct 'echo \"<<<\"(commandline)\">>>\"'", "source SCRIPT", "set -g n 0; set -g fish_autosuggestion_enabled 0",
             "function count_prompts --on-event fish_prompt; set -g n (math $n + 1); end",
             # of a line with an open quote, fish would go on with the next line
             "bind \\r 'if commandline --is-valid; commandline -f execute; else; commandline \"\"; echo @dropped@; end'",
             "function fish_prompt; echo \"@$n@\"; end; function fish_right_prompt; end; function fish_greeting; end"],
}
START = {"bash": ["bash", "--norc", "--noprofile", "-i"], "zsh": ["zsh", "-f", "-i"], "fish": ["fish", "--no-config", "-i"]}


class Shell:
    """An interactive shell on a terminal; each step waits for what the shell shows."""

    def __init__(self, name, script):
        self.name, self.seen, self.prompt = name, b"", 0
        with open("setup", "w", encoding="utf-8") as f:
            f.write("\n".join(SETUP[name]).replace("SCRIPT", script) + "\n")
        self.pid, self.fd = pty.fork()
        if self.pid == 0:
            os.execvp(START[name][0], START[name])
        self.type("source ./setup\r")
        self.wait_prompt()

    def type(self, text):
        os.write(self.fd, text.encode())

    def wait(self, pattern):
        """Until the terminal shows it; what was shown before is forgotten."""
        while True:
            m = re.search(pattern, self.seen, re.S)
            if m:
                self.seen = self.seen[m.end():]
                return m
            ready, _, _ = select.select([self.fd], [], [], DEADLINE_S)
            if not ready:
                sys.exit(f"{self.name}: no {pattern!r} within {DEADLINE_S} s: {self.seen!r}")
            try:
                self.seen += os.read(self.fd, 65536)
            except OSError:
                sys.exit(f"{self.name} ended: {self.seen!r}")

    def wait_prompt(self, closing="\r"):
        """The next prompt: what was typed has run. `closing` ends a line that the shell wants more of."""
        while True:
            what = self.wait(rb"@(\d+|more|dropped)@").group(1)
            if what == b"more":
                self.type(closing)
            elif what == b"dropped":
                return
            elif int(what) > self.prompt:
                self.prompt = int(what)
                return

    def complete(self, line):
        """Types it, completes, presses Enter; what the line had become."""
        quote = re.search("[\"']", line)
        self.type(line + "\t\x14")
        shown = self.wait(rb"<<<(.*?)>>>").group(1).decode(errors="replace")
        self.type("\r")
        self.wait_prompt(quote.group() + "\r" if quote else "\r")
        return shown

    def close(self):
        os.kill(self.pid, signal.SIGKILL)
        os.waitpid(self.pid, 0)
        os.close(self.fd)


def make_recording(path, event):
    with open("template.data", "rb") as f:
        data = f.read()
    assert data.count(b"X" * 48) and len(event) < 48
    with open(path, "wb") as f:
        f.write(data.replace(b"X" * 48, event.encode().ljust(48, b"\0")))


def ran():
    if not os.path.exists("ran"):
        return None
    with open("ran", "rb") as f:
        words = f.read().decode(errors="replace").split("\0")[:-1]
    os.unlink("ran")
    return words


def check(shell, line, wanted=None):
    shown = shell.complete(line)
    found = [e for e in os.listdir(".") if e.startswith("pwned")] + [e for e in os.listdir("files") if e.startswith("pwned")]
    if found:
        sys.exit(f"{shell.name}: '{line}' became '{shown}', and Enter ran what the name holds")
    words = ran()
    if wanted and (not words or words[-1] != wanted):
        sys.exit(f"{shell.name}: '{line}' became '{shown}', and ran with {words}; the last should be '{wanted}'")
    return shown


def main():
    name, script = sys.argv[1:]
    os.mkdir("files")
    shell = Shell(name, script)
    nr = 0
    for event in NAMES:
        make_recording("hostile.data", event)
        # evlist shows a backslash of a name doubled
        wanted = event if "\\" not in event else None
        check(shell, "assay flame -i hostile.data -e x", wanted)
        check(shell, "assay flame -i hostile.data --event=x")
        check(shell, "assay flame -i hostile.data -e cpu-clock,x", "cpu-clock," + wanted if wanted and "," not in wanted else None)
        for quote in "\"'":
            check(shell, f"assay flame -i hostile.data -e {quote}x")
        make_recording("hostile.data", "sub:" + event)
        check(shell, "assay flame -i hostile.data -e sub:x", "sub:" + wanted if wanted else None)
        # the next words, with the hostile one on the line
        check(shell, "assay flame -i hostile.data -e sub:x\t --by comm,ti")
        nr += 7
    for entry in NAMES + ["x\ntouch pwned\n"]:
        path = os.path.join("files", entry + ".data")
        with open(path, "wb"):
            pass
        wanted = path if "\n" not in entry else None
        for line in ["assay report -i files/x", "assay diff files/x", "assay record -o files/x", "assay diff \"files/x", "assay diff 'files/x"]:
            check(shell, line, wanted if line[-8] not in "\"'" and not (name == "fish" and "," in entry and "diff" in line) else None)
        check(shell, "assay diff a.data,files/x", "a.data," + path if "\n" not in entry and "," not in entry else None)
        check(shell, "assay flame --input=files/x")
        nr += 7
        os.unlink(path)
    shell.close()
    print(f"NOTE: {nr} lines of {name} completed and run, nothing but assay ran")


main()
