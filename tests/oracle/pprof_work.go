// SPDX-License-Identifier: GPL-2.0-or-later
//
// Writes the profiles of Go's runtime, each with something in it, into the current directory.
package main

import (
	"context"
	"os"
	"runtime"
	"runtime/pprof"
	"sync"
	"time"
)

var (
	kept  [][]byte
	total uint64
	mutex sync.Mutex
)

//go:noinline
func allocate(n, size int) {
	for i := 0; i < n; i++ {
		kept = append(kept, make([]byte, size))
	}
}

//go:noinline
func burn(d time.Duration) {
	for end := time.Now().Add(d); time.Now().Before(end); {
		for i := uint64(0); i < 10000; i++ {
			total += i * i
		}
	}
}

func contend() {
	var wg sync.WaitGroup
	for i := 0; i < 4; i++ {
		wg.Add(1)
		go func() {
			defer wg.Done()
			for k := 0; k < 10; k++ {
				mutex.Lock()
				time.Sleep(200 * time.Microsecond)
				mutex.Unlock()
			}
		}()
	}
	wg.Wait()
}

func write(name string) {
	f, err := os.Create(name + ".pb.gz")
	if err != nil {
		panic(err)
	}
	pprof.Lookup(name).WriteTo(f, 0)
	f.Close()
}

func main() {
	runtime.MemProfileRate = 512
	runtime.SetMutexProfileFraction(1)
	runtime.SetBlockProfileRate(1)
	f, err := os.Create("cpu.pb.gz")
	if err != nil {
		panic(err)
	}
	pprof.StartCPUProfile(f)
	pprof.Do(context.Background(), pprof.Labels("request", "big", "user", "ann"), func(context.Context) { burn(300 * time.Millisecond) })
	pprof.Do(context.Background(), pprof.Labels("request", "small"), func(context.Context) { burn(200 * time.Millisecond) })
	burn(200 * time.Millisecond)
	pprof.StopCPUProfile()
	f.Close()
	allocate(300, 4096)
	allocate(500, 100)
	for i := 0; i < 100; i++ {
		allocate(1, 1<<14)
		kept = kept[:len(kept)-1]
	}
	runtime.GC()
	contend()
	for _, name := range []string{"heap", "allocs", "mutex", "block", "threadcreate", "goroutine"} {
		write(name)
	}
	runtime.KeepAlive(kept)
}
