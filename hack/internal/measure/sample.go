// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package measure

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

// Sample is the processor time and the memory usage of the machine at one
// moment.
type Sample struct {
	At time.Time
	// CPU is the processor time in user and kernel mode since the machine
	// started.
	CPU time.Duration
	// Used is the memory that is not available, in bytes.
	Used int64
}

// tick is the unit of /proc/stat, proc(5): USER_HZ is 100 on Linux.
const tick = 10 * time.Millisecond

// Now returns the current sample.
func Now() (Sample, error) {
	stat, err := os.ReadFile("/proc/stat")
	if err != nil {
		return Sample{}, err
	}
	s := Sample{At: time.Now()}
	if s.CPU, err = busy(stat); err != nil {
		return Sample{}, err
	}
	memory, err := os.ReadFile("/proc/meminfo")
	if err != nil {
		return Sample{}, err
	}
	s.Used, err = usedMemory(memory)
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

// Series are the samples of a round in order.
type Series []Sample

// watch adds a sample every half second until the context ends.
func (s *Series) watch(ctx context.Context) error {
	t := time.NewTicker(500 * time.Millisecond)
	defer t.Stop()
	for {
		one, err := Now()
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

// Between returns the processor time between two moments and the maximum memory
// usage between them. The memory is in bytes, in addition to the usage of the
// first sample.
func (s Series) Between(from, to time.Time) (cpu time.Duration, memory int64) {
	var first, last *Sample
	for i := range s {
		if !s[i].At.After(from) || first == nil {
			first = &s[i]
		}
		if !s[i].At.After(to) || last == nil {
			last = &s[i]
		}
		if !s[i].At.Before(from) && !s[i].At.After(to) {
			memory = max(memory, s[i].Used-s[0].Used)
		}
	}
	if first == nil {
		return 0, 0
	}
	return last.CPU - first.CPU, memory
}
