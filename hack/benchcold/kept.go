// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/draconform/draconform/hack/internal/measure"
)

// measurement is what is kept of the finished rounds, so that a later call can add to
// them: a round takes half an hour, and a machine is not always left alone for three.
type measurement struct {
	Machine measure.Machine
	Rounds  []round
}

// read returns the kept rounds, and none if there is no file. It returns an error if
// they were measured at another commit or on another machine.
func read(path string, now measure.Machine) (measurement, error) {
	kept := measurement{Machine: now}
	content, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return kept, nil
	}
	if err != nil {
		return kept, err
	}
	if err := json.Unmarshal(content, &kept); err != nil {
		return kept, fmt.Errorf("read the kept rounds in %s: %w", path, err)
	}
	kept.Machine.Date = now.Date
	if kept.Machine != now {
		return kept, fmt.Errorf("the rounds in %s were measured at commit %s on %s, not at commit %s on %s: measure all rounds again, without --continue",
			path, kept.Machine.Commit, kept.Machine.Processor, now.Commit, now.Processor)
	}
	return kept, nil
}

// write keeps the finished rounds.
func (m measurement) write(path string) error {
	content, err := json.Marshal(m)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	return os.WriteFile(path, content, 0o644)
}
