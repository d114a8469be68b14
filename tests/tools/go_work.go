// A program of known shares: main.(*shop).pack takes twice as long as main.weigh, and what pack calls is inlined into it.
package main

import (
	"fmt"
	"os"
	"strconv"
)

type shop struct{ boxes uint64 }

type number interface{ ~int | ~uint64 }

func fold(x uint64) uint64 { return x ^ x>>31 }

func seal(x uint64) uint64 {
	return fold(x*0x9E3779B97F4A7C15) + 1
}

//go:noinline
func (s *shop) pack(n int) uint64 {
	sum := s.boxes
	for i := 0; i < n; i++ {
		sum = seal(sum + uint64(i))
	}
	return sum
}

//go:noinline
func weigh(s *shop, n int) uint64 {
	sum := s.boxes
	for i := 0; i < n; i++ {
		sum = (sum + uint64(i)) * 0x9E3779B97F4A7C15
		sum = (sum ^ sum>>31) + 1
	}
	return sum
}

func total[N number](values []N) N {
	var sum N
	for _, v := range values {
		sum += v
	}
	return sum
}

func main() {
	rounds := 1000
	if len(os.Args) > 1 {
		rounds, _ = strconv.Atoi(os.Args[1])
	}
	s := &shop{7}
	for i := 0; i < rounds; i++ {
		s.boxes += s.pack(200000)
		s.boxes += weigh(s, 100000)
	}
	fmt.Println(s.boxes, total([]int{1, 2}), total([]uint64{1, 2}))
}
