// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"github.com/draconform/draconform/clusters/engine/caps"
)

// object is a JSON object. Fields that are not replaced keep their original
// encoding.
type object map[string]json.RawMessage

// restrictFile removes every capability that is not granted from the file. It
// does not write the file if there is nothing to remove.
func restrictFile(path string, kind kind, granted caps.Set) error {
	content, err := os.ReadFile(path)
	if err != nil {
		return fmt.Errorf("read the container's configuration: %w", err)
	}
	changed, err := restrict(content, kind, granted)
	if err != nil {
		return fmt.Errorf("remove withheld capabilities from %s: %w", path, err)
	}
	if changed == nil {
		return nil
	}
	if err := replace(path, changed); err != nil {
		return fmt.Errorf("write the container's configuration: %w", err)
	}
	return nil
}

// restrict returns the content without the capabilities that are not granted.
// It returns nil if there is nothing to remove.
func restrict(content []byte, kind kind, granted caps.Set) ([]byte, error) {
	if kind == configFile {
		return edit(content, "process", func(process []byte) ([]byte, error) {
			return restrict(process, processFile, granted)
		})
	}
	return edit(content, "capabilities", func(sets []byte) ([]byte, error) {
		return restrictSets(sets, granted)
	})
}

// restrictSets does the same for the object with the five capability sets
// (bounding, effective, inheritable, permitted, ambient).
func restrictSets(content []byte, granted caps.Set) ([]byte, error) {
	var sets object
	if err := json.Unmarshal(content, &sets); err != nil {
		return nil, err
	}
	changed := false
	for name, raw := range sets {
		var all []string
		if err := json.Unmarshal(raw, &all); err != nil {
			return nil, fmt.Errorf("capability set %s: %w", name, err)
		}
		kept := slices.DeleteFunc(slices.Clone(all), func(capability string) bool {
			n, known := caps.Number(capability)
			// The runtime handles capabilities that are unknown here.
			return known && !granted.Has(n)
		})
		if len(kept) == len(all) {
			continue
		}
		encoded, err := encode(kept)
		if err != nil {
			return nil, err
		}
		sets[name], changed = encoded, true
	}
	if !changed {
		return nil, nil
	}
	return encode(sets)
}

// edit replaces a field of a JSON object with the result of change. It returns
// nil if the field is absent or null, or if change returns nil.
func edit(content []byte, field string, change func([]byte) ([]byte, error)) ([]byte, error) {
	var all object
	if err := json.Unmarshal(content, &all); err != nil {
		return nil, err
	}
	value, ok := all[field]
	if !ok || bytes.Equal(value, []byte("null")) {
		return nil, nil
	}
	changed, err := change(value)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", field, err)
	}
	if changed == nil {
		return nil, nil
	}
	all[field] = changed
	return encode(all)
}

// encode is like json.Marshal without the escapes for HTML, which would modify
// other fields.
func encode(value any) ([]byte, error) {
	var out bytes.Buffer
	encoder := json.NewEncoder(&out)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(value); err != nil {
		return nil, err
	}
	return bytes.TrimSuffix(out.Bytes(), []byte("\n")), nil
}

// replace writes a temporary file in the same folder, with the mode of the
// original, and renames it. Other processes never read an incomplete file.
func replace(path string, content []byte) error {
	info, err := os.Stat(path)
	if err != nil {
		return err
	}
	f, err := os.CreateTemp(filepath.Dir(path), filepath.Base(path)+".*")
	if err != nil {
		return err
	}
	defer os.Remove(f.Name()) // fails after the rename, which is expected
	_, err = f.Write(content)
	if err == nil {
		err = f.Chmod(info.Mode().Perm())
	}
	if closed := f.Close(); err == nil {
		err = closed
	}
	if err != nil {
		return err
	}
	return os.Rename(f.Name(), path)
}
