// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package agent

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/draconform/draconform/e2e/nodeagent/api"
)

// hidden returns the name of a file while it is hidden. Container runtimes ignore
// files with such a name. The name depends on the token, so that agents of other
// runs do not restore the file.
func (c Config) hidden(path string) string { return path + c.hiddenSuffix() }

func (c Config) hiddenSuffix() string {
	sum := sha256.Sum256([]byte(c.Token))
	return ".hidden-by-draconform-" + hex.EncodeToString(sum[:4])
}

// hide hides files.
func (c Config) hide(request api.CDIFileVersions) (api.Empty, error) {
	for i, file := range request.Files {
		if err := c.hideOne(file); err != nil {
			undo := api.CDIPaths{}
			for _, done := range request.Files[:i] {
				undo.Paths = append(undo.Paths, done.Path)
			}
			_, undoErr := c.restore(undo)
			return api.Empty{}, errors.Join(fmt.Errorf("hide CDI file: %w", err), undoErr)
		}
	}
	return api.Empty{}, nil
}

func (c Config) hideOne(file api.CDIFileVersion) error {
	if err := c.mayHide(file.Path); err != nil {
		return err
	}
	now, ok := cdiFile(file.Path)
	switch {
	case !ok:
		return fmt.Errorf("%w: %s does not exist", api.ErrInvalid, file.Path)
	case now.SHA256 == "" || now.SHA256 != file.SHA256:
		return fmt.Errorf("%w: %s has changed", api.ErrInvalid, file.Path)
	}
	return os.Rename(file.Path, c.hidden(file.Path))
}

// mayHide returns an error unless a path is that of a CDI file in the first CDI
// directory.
func (c Config) mayHide(path string) error {
	if filepath.Clean(path) != path || filepath.Dir(path) != filepath.Clean(c.CDIDirs[0]) || !isCDIFile(path) {
		return fmt.Errorf("%w: %q is not a CDI file in %s", api.ErrInvalid, path, c.CDIDirs[0])
	}
	return nil
}

// restore restores hidden files.
func (c Config) restore(request api.CDIPaths) (api.Empty, error) {
	return c.forEach(request, "restore CDI file", restoreOne)
}

// discard removes hidden files, so that they are not restored.
func (c Config) discard(request api.CDIPaths) (api.Empty, error) {
	return c.forEach(request, "remove hidden CDI file", func(hidden, _ string) error {
		if err := os.Remove(hidden); !errors.Is(err, fs.ErrNotExist) {
			return err
		}
		return nil
	})
}

// forEach calls a function with the hidden name and the path of each file.
func (c Config) forEach(request api.CDIPaths, action string, do func(hidden, path string) error) (api.Empty, error) {
	var errs []error
	for _, path := range request.Paths {
		err := c.mayHide(path)
		if err == nil {
			err = do(c.hidden(path), path)
		}
		if err != nil {
			errs = append(errs, fmt.Errorf("%s: %w", action, err))
		}
	}
	return api.Empty{}, errors.Join(errs...)
}

// restoreOne gives a hidden file its name back, unless there is a new file with
// that name.
func restoreOne(hidden, path string) error {
	// A link does not replace a file that is written at the same time.
	if err := os.Link(hidden, path); err != nil && !errors.Is(err, fs.ErrExist) {
		if errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		return err
	}
	return os.Remove(hidden)
}

// RestoreHidden restores all files that agents with the same token have hidden.
func (c Config) RestoreHidden() error {
	entries, err := os.ReadDir(c.CDIDirs[0])
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("list hidden CDI files: %w", err)
	}
	var hidden api.CDIPaths
	for _, entry := range entries {
		if name, ok := strings.CutSuffix(entry.Name(), c.hiddenSuffix()); ok {
			hidden.Paths = append(hidden.Paths, filepath.Join(c.CDIDirs[0], name))
		}
	}
	_, err = c.restore(hidden)
	return err
}
