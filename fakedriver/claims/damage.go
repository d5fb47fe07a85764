// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package claims

import (
	"fmt"
	"os"
	"path/filepath"
)

// Damage is what can happen to a checkpoint while no process uses it.
type Damage string

const (
	// Truncated means that the second half of the file is missing.
	Truncated Damage = "Truncated"
	// Zeroed means that the second half of the file consists of zeros, as after
	// a power failure.
	Zeroed Damage = "Zeroed"
	// Lost means that there is no file.
	Lost Damage = "Lost"
	// Older means that the previous version of the driver wrote the file. This
	// is no damage: the file has the same claims.
	Older Damage = "Older"
)

// Damages returns all kinds of damage.
func Damages() []Damage { return []Damage{Truncated, Zeroed, Lost, Older} }

// DamageCheckpoint damages the checkpoint on disk. The store does not know it:
// the next process finds the damage. It is an error if there is no checkpoint.
func (s *Store) DamageCheckpoint(damage Damage) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	path := filepath.Join(s.config.DataDir, checkpointFile)
	data, err := os.ReadFile(path)
	if err != nil {
		return fmt.Errorf("damage checkpoint: %w", err)
	}
	switch damage {
	case Truncated:
		err = os.WriteFile(path, data[:len(data)/2], 0o600)
	case Zeroed:
		clear(data[len(data)/2:])
		err = os.WriteFile(path, data, 0o600)
	case Lost:
		err = os.Remove(path)
	case Older:
		err = s.saveOlder()
	default:
		return fmt.Errorf("damage checkpoint: %q is no kind of damage, use one of %v", damage, Damages())
	}
	if err != nil {
		return fmt.Errorf("damage checkpoint: %w", err)
	}
	return nil
}

// saveOlder writes the checkpoint in the format of the previous version.
func (s *Store) saveOlder() error {
	current, err := s.config.loadCheckpoint()
	if err != nil {
		return err
	}
	older := s.config
	older.OlderCheckpoint = true
	return current.save(older)
}
