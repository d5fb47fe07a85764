// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package plugin

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/draconform/draconform/fakedriver/claims"
	"github.com/draconform/draconform/fakedriver/control"
)

// stateFile is the file in the directory of a driver that stores what the
// driver publishes.
const stateFile = "published.json"

func hasState(dir string) bool {
	_, err := os.Stat(filepath.Join(dir, stateFile))
	return err == nil
}

func saveState(dir string, published control.Published) error {
	data, err := json.MarshalIndent(published, "", "  ")
	if err != nil {
		return fmt.Errorf("encode the state: %w", err)
	}
	if err := claims.WriteFile(filepath.Join(dir, stateFile), data); err != nil {
		return fmt.Errorf("save the state: %w", err)
	}
	return nil
}

func removeState(dir string) error {
	if err := os.Remove(filepath.Join(dir, stateFile)); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("remove the state: %w", err)
	}
	return nil
}

// loadState returns the saved state of a driver, or the preset if there is
// none. If the file cannot be decoded, or the check rejects its content, a copy
// is kept under another name, damage describes it, and the preset replaces it.
func loadState(dir string, preset control.Published, check func(control.Published) error) (published control.Published, damage string, err error) {
	path := filepath.Join(dir, stateFile)
	data, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return preset, "", nil
	}
	if err != nil {
		return preset, "", fmt.Errorf("load the state: %w", err)
	}
	problem := claims.Decode(data, &published)
	if problem == nil && isKnown(published) {
		problem = check(published)
	}
	if problem == nil {
		return published, "", nil
	}
	copied, err := claims.KeepCopy(path)
	if err != nil {
		return preset, "", fmt.Errorf("load the state: %s: %w; %w", path, problem, err)
	}
	damage = fmt.Sprintf("load the state %s: %v; kept as %s", path, problem, copied)
	if isKnown(preset) {
		return preset, damage, removeState(dir)
	}
	// The existence of the file marks the driver as one that runs.
	return preset, damage, saveState(dir, preset)
}

// isKnown reports whether devices are configured. Without them, a driver does
// not change its slices.
func isKnown(published control.Published) bool {
	return published.Devices != control.Devices{}
}
