// SPDX-License-Identifier: GPL-2.0-or-later

// Fixed work in four goroutines: interfaces, closures, sorting, maps, recursion, garbage. usage: work ROUNDS
package main

import (
	"fmt"
	"os"
	"sort"
	"strconv"
	"sync"
)

type shape interface{ area(scale uint64) uint64 }
type polygon struct{ sides int }

//go:noinline
func (p polygon) area(scale uint64) uint64 {
	for i := 0; i < p.sides*40; i++ {
		scale = scale*6364136223846793005 + uint64(i)
	}
	return scale
}

//go:noinline
func sorted(seed uint64) uint64 {
	values := make([]uint64, 200)
	for i := range values {
		seed = seed*6364136223846793005 + 1442695040888963407
		values[i] = seed
	}
	sort.Slice(values, func(a, b int) bool { return values[a]%1009 < values[b]%1009 })
	return values[100]
}

//go:noinline
func mapped(seed uint64) uint64 {
	words := map[string]uint64{}
	for i := uint64(0); i < 40; i++ {
		words[fmt.Sprintf("word number %d", seed%97+i)] += i
	}
	return uint64(len(words))
}

//go:noinline
func nested(depth int, call func() uint64) uint64 {
	if depth == 0 {
		return call()
	}
	return nested(depth-1, call) + 1
}

func main() {
	rounds := 1000
	if len(os.Args) > 1 {
		rounds, _ = strconv.Atoi(os.Args[1])
	}
	shapes := []shape{polygon{3}, polygon{4}, polygon{6}}
	var group sync.WaitGroup
	for worker := 0; worker < 4; worker++ {
		group.Add(1)
		go func() {
			defer group.Done()
			sum := uint64(0)
			for i := 0; i < rounds/4; i++ {
				sum += nested(12, func() uint64 {
					for _, s := range shapes {
						sum += s.area(uint64(i))
					}
					return sum + sorted(sum) + through(sum)
				})
				sum += mapped(sum)
			}
		}()
	}
	group.Wait()
}
