// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

// Package live shows a run while it takes place. The run appends what happens to
// a file in its folder, and a server that reads the file shows it in a browser.
package live

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"sync"
	"time"

	"github.com/draconform/draconform/clusters/progress"
	"github.com/draconform/draconform/e2e/report"
)

// File is the name of the file in the folder of a run. Each line is one event in
// JSON.
const File = "live.jsonl"

// interval is the time between two looks at what runs.
const interval = time.Second

// Run identifies a run.
type Run struct {
	ID      string    `json:"id"`
	Version string    `json:"version"`
	Started time.Time `json:"started"`
}

// event is one line. One of the fields is set in addition to the time.
type event struct {
	Time time.Time `json:"time"`
	Run  *Run      `json:"run,omitempty"`
	// Planned is the number of specs that can run.
	Planned int `json:"planned,omitempty"`
	// Now is what runs now.
	Now *progress.State `json:"now,omitempty"`
	// Finished is a spec with its outcome.
	Finished *report.Spec `json:"finished,omitempty"`
}

// Log is the file of a run. A nil Log writes nothing. It is safe for concurrent
// use. It ignores errors: it is for viewers only, and must not change a verdict.
type Log struct {
	mu   sync.Mutex
	file *os.File
}

// Create creates the file in the folder of a run.
func Create(dir string, r Run) (*Log, error) {
	f, err := os.Create(filepath.Join(dir, File))
	if err != nil {
		return nil, fmt.Errorf("create the log for viewers of the run: %w", err)
	}
	l := &Log{file: f}
	l.write(event{Run: &r})
	return l, nil
}

// Planned reports how many specs can run.
func (l *Log) Planned(total int) { l.write(event{Planned: total}) }

// Finished reports the outcome of a spec, without its steps.
func (l *Log) Finished(s report.Spec) {
	s.Steps, s.Journey = nil, nil
	l.write(event{Finished: &s})
}

// Follow reports what runs whenever it changes, until stop is called.
func (l *Log) Follow(r *progress.Reporter) (stop func()) {
	end, ended := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(ended)
		t := time.NewTicker(interval)
		defer t.Stop()
		var last progress.State
		for {
			select {
			case <-end:
				return
			case <-t.C:
			}
			if now := r.State(); !reflect.DeepEqual(now, last) {
				l.write(event{Now: &now})
				last = now
			}
		}
	}()
	return func() { close(end); <-ended }
}

// Close closes the file.
func (l *Log) Close() {
	l.mu.Lock()
	defer l.mu.Unlock()
	_ = l.file.Close()
}

func (l *Log) write(e event) {
	if l == nil {
		return
	}
	e.Time = time.Now()
	line, err := json.Marshal(e)
	if err != nil {
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	_, _ = l.file.Write(append(line, '\n'))
}
