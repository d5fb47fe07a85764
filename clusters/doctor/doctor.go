// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

// Package doctor checks whether a machine can run clusters. It gives advice for
// each problem that it finds.
package doctor

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"strings"
)

// Status is the outcome of one check.
type Status string

const (
	// OK means that the precondition is met.
	OK Status = "ok"
	// Warn means that clusters work with limitations, for a limited time, or
	// possibly not at all.
	Warn Status = "warn"
	// Fail means that no cluster can be created.
	Fail Status = "fail"
)

// Result is the outcome of one check.
type Result struct {
	// Name is the name of the precondition.
	Name   string `json:"name"`
	Status Status `json:"status"`
	// Read is what was found.
	Read string `json:"read"`
	// Advice is how to fix the problem, in one sentence. It is empty if the status is OK.
	Advice string `json:"advice,omitempty"`
}

// Host is the machine to check.
type Host interface {
	// Read takes the readings. A value that cannot be read is an error within
	// the readings.
	Read(ctx context.Context) Readings
}

// Check takes the host's readings and checks each precondition, most important
// first. A precondition that does not apply to the host, such as inotify limits
// outside of Linux, has no result.
func Check(ctx context.Context, host Host) []Result {
	r := host.Read(ctx)
	var results []Result
	for _, check := range []func(Readings) *Result{
		checkEngine, checkPrivileged, checkRootless, checkCgroup, checkDisk, checkMemory, checkCores,
		checkInotifyInstances, checkInotifyWatches, checkOverlay, checkGo, checkMmdebstrap,
	} {
		if result := check(r); result != nil {
			results = append(results, *result)
		}
	}
	return results
}

// Print writes one line for each result, followed by a line with the advice if
// there is any.
func Print(w io.Writer, results []Result) error {
	var text strings.Builder
	width := 0
	for _, r := range results {
		width = max(width, len(r.Name))
	}
	for _, r := range results {
		fmt.Fprintf(&text, "%-4s  %-*s  %s\n", r.Status, width, r.Name, r.Read)
		if r.Advice != "" {
			fmt.Fprintf(&text, "      %-*s  -> %s\n", width, "", r.Advice)
		}
	}
	_, err := io.WriteString(w, text.String())
	return err
}

func ok(name, read string) *Result {
	return &Result{Name: name, Status: OK, Read: read}
}

func warn(name, read, advice string) *Result {
	return &Result{Name: name, Status: Warn, Read: read, Advice: advice}
}

func fail(name, read, advice string) *Result {
	return &Result{Name: name, Status: Fail, Read: read, Advice: advice}
}

// unread is the result for a reading that failed. It returns nil if the value
// does not exist on the machine.
func unread(name string, err error) *Result {
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return warn(name, err.Error(), "check it yourself: clusters may work anyway")
}

// Failed reports whether any check failed.
func Failed(results []Result) bool {
	for _, r := range results {
		if r.Status == Fail {
			return true
		}
	}
	return false
}
