// The Go libraries bits-and-blooms and DCSO/bloom for .ci/differential:
// make PROGRAM N RATE KEYS OUT, answers PROGRAM FILE KEYS OUT.
package main

import (
	"bufio"
	"encoding/hex"
	"log"
	"os"
	"strconv"

	dcso "github.com/DCSO/bloom"
	bits "github.com/willf/bloom"
)

func check(err error) {
	if err != nil {
		log.Fatal(err)
	}
}

func keys(path string) (keys [][]byte) {
	file, err := os.Open(path)
	check(err)
	lines := bufio.NewScanner(file)
	for lines.Scan() {
		key, err := hex.DecodeString(lines.Text())
		check(err)
		keys = append(keys, key)
	}
	check(lines.Err())
	return keys
}

func main() {
	args := os.Args[1:]
	if args[0] == "make" {
		n, err := strconv.ParseUint(args[2], 10, 64)
		check(err)
		rate, err := strconv.ParseFloat(args[3], 64)
		check(err)
		out, err := os.Create(args[5])
		check(err)
		if args[1] == "dcso" {
			filter := dcso.Initialize(n, rate)
			for _, key := range keys(args[4]) {
				filter.Add(key)
			}
			check(filter.Write(out))
		} else {
			filter := bits.NewWithEstimates(uint(n), rate)
			for _, key := range keys(args[4]) {
				filter.Add(key)
			}
			_, err := filter.WriteTo(out)
			check(err)
		}
		check(out.Close())
		return
	}
	in, err := os.Open(args[2])
	check(err)
	held := func(key []byte) bool { return false }
	if args[1] == "dcso" {
		var filter dcso.BloomFilter
		check(filter.Read(in))
		held = filter.Check
	} else {
		var filter bits.BloomFilter
		_, err := filter.ReadFrom(in)
		check(err)
		held = filter.Test
	}
	var answers []byte
	for _, key := range keys(args[3]) {
		if held(key) {
			answers = append(answers, '1')
		} else {
			answers = append(answers, '0')
		}
	}
	check(os.WriteFile(args[4], append(answers, '\n'), 0o666))
}
