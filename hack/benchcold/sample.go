// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"os"
	"strconv"
	"strings"
	"time"
)

// sample is the processor time and the memory usage of the machine at one
// moment.
type sample struct {
	at time.Time
	// cpu is the processor time in user and kernel mode since the machine
	// started.
	cpu time.Duration
	// used is the memory that is not available, in bytes.
	used int64
}

// tick is the unit of /proc/stat, proc(5): USER_HZ is 100 on Linux.
const tick = 10 * time.Millisecond

// now returns the current sample.
func now() (sample, error) {
	stat, err := os.ReadFile("/proc/stat")
	if err != nil {
		return sample{}, err
	}
	s := sample{at: time.Now()}
	if s.cpu, err = busy(stat); err != nil {
		return sample{}, err
	}
	memory, err := os.ReadFile("/proc/meminfo")
	if err != nil {
		return sample{}, err
	}
	s.used, err = usedMemory(memory)
	return s, err
}

// busy sums the busy times of the first line of /proc/stat, whose fields are
// user, nice, system, idle, iowait, irq, softirq.
func busy(stat []byte) (time.Duration, error) {
	line, _, _ := bytes.Cut(stat, []byte("\n"))
	fields := strings.Fields(string(line))
	if len(fields) < 8 || fields[0] != "cpu" {
		return 0, fmt.Errorf("read /proc/stat: unexpected line %q", line)
	}
	var sum time.Duration
	for _, i := range []int{1, 2, 3, 6, 7} {
		n, err := strconv.ParseInt(fields[i], 10, 64)
		if err != nil {
			return 0, fmt.Errorf("read /proc/stat: %w", err)
		}
		sum += time.Duration(n) * tick
	}
	return sum, nil
}

func usedMemory(meminfo []byte) (int64, error) {
	values := map[string]int64{}
	for lines := bufio.NewScanner(bytes.NewReader(meminfo)); lines.Scan(); {
		name, rest, _ := strings.Cut(lines.Text(), ":")
		if fields := strings.Fields(rest); len(fields) > 0 {
			values[name], _ = strconv.ParseInt(fields[0], 10, 64)
		}
	}
	total, available := values["MemTotal"], values["MemAvailable"]
	if total == 0 || available == 0 {
		return 0, fmt.Errorf("read /proc/meminfo: it has no MemTotal or no MemAvailable")
	}
	return (total - available) << 10, nil
}

// series are the samples of a round in order.
type series []sample

// watch adds a sample every half second until the context ends.
func (s *series) watch(ctx context.Context) error {
	t := time.NewTicker(500 * time.Millisecond)
	defer t.Stop()
	for {
		one, err := now()
		if err != nil {
			return err
		}
		*s = append(*s, one)
		select {
		case <-ctx.Done():
			return nil
		case <-t.C:
		}
	}
}

// between returns the processor time between two moments and the maximum memory
// usage between them. The memory is in bytes, in addition to the usage of the
// first sample.
func (s series) between(from, to time.Time) (cpu time.Duration, memory int64) {
	var first, last *sample
	for i := range s {
		if !s[i].at.After(from) || first == nil {
			first = &s[i]
		}
		if !s[i].at.After(to) || last == nil {
			last = &s[i]
		}
		if !s[i].at.Before(from) && !s[i].at.After(to) {
			memory = max(memory, s[i].used-s[0].used)
		}
	}
	if first == nil {
		return 0, 0
	}
	return last.cpu - first.cpu, memory
}
