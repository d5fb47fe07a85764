// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package claims

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"syscall"

	"k8s.io/apimachinery/pkg/types"

	"github.com/draconform/draconform/internal/fault"
)

// Disk is the state of the disks of a node. A write to a full disk fails. Files
// that exist can be removed.
type Disk struct {
	// CheckpointFull means that there is no room for another checkpoint.
	CheckpointFull bool `json:"checkpointFull,omitempty"`
	// SpecsFull means that there is room for the first bytes of another CDI
	// spec only.
	SpecsFull bool `json:"specsFull,omitempty"`
}

// SetDisk changes the state of the disks until the process ends.
func (s *Store) SetDisk(disk Disk) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.disk = disk
}

// saveToDisk writes the checkpoint, unless the disk is full.
func (s *Store) saveToDisk(c checkpoint) error {
	if s.disk.CheckpointFull {
		return fmt.Errorf("write checkpoint: %w", syscall.ENOSPC)
	}
	return c.save(s.config)
}

// writeSpecToDisk writes the CDI spec of a claim, unless the disk is full. A spec
// is written under another name first, so that nothing is left under its own.
func (s *Store) writeSpecToDisk(uid types.UID, claim preparedClaim) error {
	if !s.disk.SpecsFull {
		return s.specs.write(uid, claim)
	}
	err := fmt.Errorf("write CDI spec for claim %s: %w", claim, syscall.ENOSPC)
	if fault.WritesSpecsInPlace {
		path := filepath.Join(s.specs.dir, s.specs.fileName(uid))
		return errors.Join(err, os.MkdirAll(s.specs.dir, 0o750), os.WriteFile(path, []byte(`{"cdiVersion":`), 0o600))
	}
	return err
}
