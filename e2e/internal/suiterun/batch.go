// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package suiterun

import (
	"slices"
	"sync"
	"testing"
)

// Batch has cases that one child process runs one after the other, because it takes
// longer to start a process than to run most cases. None of them has RealTime or a Guest.
type Batch struct {
	// Names are the names of the cases.
	Names []string
	// Env is added to the environment of the process.
	Env []string

	start    sync.Once
	outcomes []Outcome
	err      error
	by       string // the test that started the process
}

// Batches divides cases among batches.
func Batches(names []string) []*Batch {
	const size = 10
	var all []*Batch
	for some := range slices.Chunk(names, size) {
		all = append(all, &Batch{Names: some})
	}
	return all
}

// Outcome returns the outcome of one of the cases. Its directory does not outlive the test
// that calls Outcome first, for which the child process runs all cases. The test fails if
// the process fails.
func (b *Batch) Outcome(t *testing.T, name string) Outcome {
	t.Helper()
	b.start.Do(func() {
		b.by = t.Name()
		b.outcomes, b.err = start(t, b.Names, b.Env...)
	})
	switch {
	case b.err != nil && b.by == t.Name():
		t.Fatal(b.err)
	case b.err != nil:
		t.Fatalf("the process of this case failed, see %s", b.by)
	}
	return b.outcomes[slices.Index(b.Names, name)]
}
