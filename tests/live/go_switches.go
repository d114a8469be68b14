// SPDX-License-Identifier: GPL-2.0-or-later

// Known truth: all time of the main goroutine is under main.watch, in time.Now(), which reads the clock on the thread's stack, and, where
// there is C code, in burn(), which runs there too. Usage: go_switches SECONDS
package main

import (
	"os"
	"os/signal"
	"strconv"
	"syscall"
	"time"
)

//go:noinline
func tick(sum *int64) {
	for i := 0; i < 1000; i++ {
		*sum += time.Now().UnixNano() & 1
	}
}

//go:noinline
func watch(end time.Time, sum *int64) {
	for time.Now().Before(end) {
		tick(sum)
		through(sum)
	}
}

func main() {
	var sum int64
	seconds, _ := strconv.ParseFloat(os.Args[1], 64)
	// Handlers of signals run on a third stack.
	signal.Notify(make(chan os.Signal, 1), syscall.SIGUSR1)
	watch(time.Now().Add(time.Duration(seconds*1e9)), &sum)
}
