// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package claims

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
)

// WriteFile replaces a file. After a crash at any point the file contains
// either the old content or the new content.
func WriteFile(path string, data []byte) error {
	// The name is constant, so that a file left by a crash is overwritten and
	// such files do not accumulate.
	temporary := path + ".tmp"
	if err := writeSynced(temporary, data, os.O_TRUNC); err != nil {
		return err
	}
	if err := os.Rename(temporary, path); err != nil {
		return err
	}
	return syncDir(filepath.Dir(path))
}

// Decode decodes JSON that this version of the program wrote. Unknown fields
// and data after the JSON value are errors.
func Decode(data []byte, into any) error {
	decoder := json.NewDecoder(bytes.NewReader(data))
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(into); err != nil {
		return err
	}
	if _, err := decoder.Token(); !errors.Is(err, io.EOF) {
		return errors.New("there is data after the JSON value")
	}
	return nil
}

func writeSynced(path string, data []byte, how int) error {
	file, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|how, 0o600)
	if err != nil {
		return err
	}
	if _, err := file.Write(data); err != nil {
		return errors.Join(err, file.Close())
	}
	if err := file.Sync(); err != nil {
		return errors.Join(err, file.Close())
	}
	return file.Close()
}

// syncDir makes a rename in the directory survive a power failure.
func syncDir(dir string) error {
	file, err := os.Open(dir)
	if err != nil {
		return err
	}
	return errors.Join(file.Sync(), file.Close())
}

// maxCopies limits the number of copies of a file, so that repeated corruption
// does not fill the disk.
const maxCopies = 100

// KeepCopy copies a corrupt file to an unused name in the same directory,
// "<name>.corrupt-<n>", and returns that name. The file itself remains until
// the caller replaces it. Until then it is the only evidence, after a crash,
// that data was lost.
func KeepCopy(path string) (string, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return "", fmt.Errorf("keep a copy of a corrupt file: %w", err)
	}
	return unused(path, func(name string) error { return writeSynced(name, data, os.O_EXCL) })
}

// moveAside renames a file or directory to an unused name in the format of
// KeepCopy.
func moveAside(path string) (string, error) {
	return unused(path, func(name string) error {
		if _, err := os.Lstat(name); err == nil {
			return fs.ErrExist
		}
		return os.Rename(path, name)
	})
}

// unused calls create with one candidate name after another until create does
// not return fs.ErrExist. It returns the name.
func unused(path string, create func(name string) error) (string, error) {
	for n := 1; n <= maxCopies; n++ {
		name := fmt.Sprintf("%s.corrupt-%d", path, n)
		err := create(name)
		if err == nil {
			return name, nil
		}
		if !errors.Is(err, fs.ErrExist) {
			return "", fmt.Errorf("keep a copy of a corrupt file: %w", err)
		}
	}
	return "", fmt.Errorf("keep a copy of %s: there are already %d", path, maxCopies)
}
