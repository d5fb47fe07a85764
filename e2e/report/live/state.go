// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package live

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/draconform/draconform/clusters/progress"
	"github.com/draconform/draconform/e2e/report"
	"github.com/draconform/draconform/e2e/report/evidence"
)

// State is the state of a run.
type State struct {
	Run Run
	// Planned is the number of specs that can run. It is zero until that is
	// known.
	Planned int
	// Specs are the finished specs, in the order in which they finished.
	Specs []report.Spec
	Now   progress.State
	// Changed is the time of the last event.
	Changed time.Time
}

// Read reads the state of a run from its folder. An incomplete last line is
// ignored, as the run may be writing it.
func Read(dir string) (State, error) {
	content, err := os.ReadFile(filepath.Join(dir, File))
	if err != nil {
		return State{}, fmt.Errorf("read the state of a run: %w", err)
	}
	var s State
	for line := range bytes.Lines(content) {
		if !bytes.HasSuffix(line, []byte("\n")) {
			break
		}
		var e event
		if err := json.Unmarshal(line, &e); err != nil {
			return State{}, fmt.Errorf("read the state of a run: %w", err)
		}
		s.add(e)
	}
	return s, nil
}

func (s *State) add(e event) {
	s.Changed = e.Time
	switch {
	case e.Run != nil:
		s.Run = *e.Run
	case e.Now != nil:
		s.Now = *e.Now
	case e.Finished != nil:
		s.Specs = append(s.Specs, *e.Finished)
	case e.Planned > 0:
		s.Planned = e.Planned
	}
}

// Find returns the folder of a run: dir itself, or the newest run among its
// subfolders, whose names begin with the time of the run.
func Find(dir string) (string, error) {
	if isRun(dir) {
		return dir, nil
	}
	entries, err := os.ReadDir(dir)
	if err != nil {
		return "", fmt.Errorf("find a run: %w", err)
	}
	for _, entry := range slices.Backward(entries) { // They are sorted by name.
		if sub := filepath.Join(dir, entry.Name()); isRun(sub) {
			return sub, nil
		}
	}
	return "", fmt.Errorf("find a run: neither %s nor a folder in it has a file %s or %s", dir, File, evidence.PageFile)
}

func isRun(dir string) bool { return exists(dir, File) || Ended(dir) }

// Ended reports whether the run in a folder has ended: the last thing that it does is
// to write its page.
func Ended(dir string) bool { return exists(dir, evidence.PageFile) }

func exists(dir, name string) bool {
	_, err := os.Stat(filepath.Join(dir, name))
	return err == nil
}
