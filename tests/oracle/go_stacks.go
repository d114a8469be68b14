// SPDX-License-Identifier: GPL-2.0-or-later

// Known truth: nearly all time is in main.fib, called by itself and then by main.work, which begins four goroutines; some of it is in the
// runtime on its own stacks, for memory and for system calls. Usage: go_stacks [SECONDS]
package main

import (
	"os"
	"strconv"
	"sync"
	"time"
)

//go:noinline
func fib(n int) int {
	if n < 2 {
		return n
	}
	return fib(n-1) + fib(n-2)
}

func work(end time.Time, sum *int, done func()) {
	for time.Now().Before(end) {
		*sum += fib(23)
		room := make([]byte, 100000)
		room[1] = 1
		if f, err := os.Open(os.DevNull); err == nil {
			f.Close()
		}
	}
	done()
}

func main() {
	var all sync.WaitGroup
	var sums [4]int
	seconds := 1.0
	if len(os.Args) > 1 {
		seconds, _ = strconv.ParseFloat(os.Args[1], 64)
	}
	end := time.Now().Add(time.Duration(seconds * 1e9))
	for i := range sums {
		all.Add(1)
		go work(end, &sums[i], all.Done)
	}
	all.Wait()
}
