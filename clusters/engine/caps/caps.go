// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

// Package caps determines which Linux capabilities this host withholds from its
// processes, including those of root.
package caps

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"
)

// Set is a set of capabilities, one bit per capability number, as the kernel
// prints it in /proc.
type Set uint64

// Has reports whether the set contains capability number n.
func (s Set) Has(n int) bool {
	return n >= 0 && n < 64 && s&(1<<n) != 0
}

// Names returns the names of the capabilities in the kernel's order. A
// capability without a known name is CAP_<number>.
func (s Set) Names() []string {
	var out []string
	for n := range 64 {
		if s.Has(n) {
			out = append(out, name(n))
		}
	}
	return out
}

// String returns the names, separated by commas.
func (s Set) String() string {
	return strings.Join(s.Names(), ", ")
}

// Bounding returns the capability bounding set of this process. No descendant
// of the process can hold other capabilities.
func Bounding() (Set, error) {
	f, err := os.Open("/proc/self/status")
	if err != nil {
		return 0, fmt.Errorf("read the capability bounding set: %w", err)
	}
	defer f.Close()
	return parseBounding(f)
}

// Withheld returns the capabilities that the kernel supports and the bounding
// set of this process lacks.
func Withheld() (Set, error) {
	bounding, err := Bounding()
	if err != nil {
		return 0, err
	}
	raw, err := os.ReadFile("/proc/sys/kernel/cap_last_cap")
	if err != nil {
		return 0, fmt.Errorf("read the kernel's last capability: %w", err)
	}
	known, err := parseLast(string(raw))
	if err != nil {
		return 0, err
	}
	return known &^ bounding, nil
}

// parseBounding parses the CapBnd line of a /proc/<pid>/status file.
func parseBounding(status io.Reader) (Set, error) {
	lines := bufio.NewScanner(status)
	for lines.Scan() {
		value, ok := strings.CutPrefix(lines.Text(), "CapBnd:")
		if !ok {
			continue
		}
		bits, err := strconv.ParseUint(strings.TrimSpace(value), 16, 64)
		if err != nil {
			return 0, fmt.Errorf("parse the capability bounding set: %w", err)
		}
		return Set(bits), nil
	}
	if err := lines.Err(); err != nil {
		return 0, fmt.Errorf("read the process status: %w", err)
	}
	return 0, fmt.Errorf("process status has no line CapBnd")
}

// parseLast returns the set of all capabilities that the kernel supports.
// content is the content of cap_last_cap.
func parseLast(content string) (Set, error) {
	last, err := strconv.Atoi(strings.TrimSpace(content))
	if err != nil {
		return 0, fmt.Errorf("parse the kernel's last capability: %w", err)
	}
	if last < 0 || last > 63 {
		return 0, fmt.Errorf("kernel's last capability %d is not between 0 and 63", last)
	}
	return Set(^uint64(0) >> (63 - last)), nil
}
