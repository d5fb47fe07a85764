// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
)

// leavesFiles never removes CDI files.
func leavesFiles(c *config) error {
	c.files.Remove = func(string) error { return nil }
	return nil
}

// changesFiles changes the content of CDI files.
func changesFiles(change func([]byte) []byte) func(*config) error {
	return func(c *config) error {
		c.files.Create = func(name string, content []byte) error { return os.WriteFile(name, change(content), 0o644) }
		return nil
	}
}

// renamesCDIDevice gives the CDI device another name than the one that the
// kubelet gets.
func renamesCDIDevice(content []byte) []byte {
	return bytes.ReplaceAll(content, []byte(`"name":"claim-`), []byte(`"name":"another-`))
}

// setsWrongValue sets another value of the variable that the class of the
// devices configures. Without device metadata, containers see nothing else.
func setsWrongValue(c *config) error {
	c.metadata = false
	return changesFiles(func(content []byte) []byte {
		return bytes.ReplaceAll(content, []byte(`admin_test_driver=yes`), []byte(`admin_test_driver=no`))
	})(c)
}

// keepsLastFile removes the CDI file that it has written before when it writes one.
func keepsLastFile(c *config) error {
	var last string
	remove := func(name string) error {
		if err := os.Remove(name); err != nil && !os.IsNotExist(err) {
			return fmt.Errorf("remove a CDI file: %w", err)
		}
		return nil
	}
	c.files.Remove = remove
	c.files.Create = func(name string, content []byte) error {
		if last != "" && filepath.Base(last) != filepath.Base(name) {
			if err := remove(last); err != nil {
				return err
			}
		}
		last = name
		return os.WriteFile(name, content, 0o644)
	}
	return nil
}
