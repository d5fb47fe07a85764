// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

// Package results hands over the results of a run in a pod: as an archive with a
// "done" file, as Sonobuoy's plugins do, and through a port of the pod.
package results

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

const (
	// ArchiveFile is the name of the archive in the directory for results. It
	// contains the folder of the run. Sonobuoy takes the type of the results
	// from the name.
	ArchiveFile = "results.tar.gz"
	// DoneFile is the name of the file that marks the results as complete. Its
	// content is the absolute path of the archive, without a line break:
	// Sonobuoy's worker opens the content as it is.
	DoneFile = "done"
	// ErrorFile is the name of the file in the folder of a run that states why
	// the run could not be completed. There may be no report then.
	ErrorFile = "error.txt"
)

// Begin creates the directory for results if necessary, and removes the archive
// and the mark of an earlier run. Its error states that a run could not leave
// its results there.
func Begin(dir string) error {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return fmt.Errorf("make the directory for results: %w", err)
	}
	for _, name := range []string{DoneFile, ArchiveFile} {
		if err := os.Remove(filepath.Join(dir, name)); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("remove the results of an earlier run: %w", err)
		}
	}
	// A directory of another user is better found now than after the run.
	probe, err := os.CreateTemp(dir, ".probe-")
	if err != nil {
		return fmt.Errorf("write into the directory for results: %w", err)
	}
	return errors.Join(probe.Close(), os.Remove(probe.Name()))
}

// Finish writes the archive of the folder of a run and then marks the results
// as complete. If the run could not be completed, the folder gets a file with
// the reason, runErr. The results are marked even if the archive cannot be
// written, because Sonobuoy waits for the mark. It then names a file with the
// reason.
func Finish(dir, folder string, runErr error) error {
	archive, err := filepath.Abs(filepath.Join(dir, ArchiveFile))
	if err != nil {
		return fmt.Errorf("find the directory for results: %w", err)
	}
	if runErr != nil {
		err = explain(folder, runErr)
	}
	if err == nil {
		err = writeAtomically(archive, func(f *os.File) error { return Archive(f, folder) })
	}
	if err != nil {
		err = fmt.Errorf("write the archive of the results: %w", err)
		archive = filepath.Join(filepath.Dir(archive), ErrorFile)
		err = errors.Join(err, os.WriteFile(archive, []byte(err.Error()+"\n"), 0o644))
	}
	mark := writeAtomically(filepath.Join(filepath.Dir(archive), DoneFile), func(f *os.File) error {
		_, err := f.WriteString(archive)
		return err
	})
	return errors.Join(err, mark)
}

// explain writes why a run could not be completed into its folder.
func explain(folder string, runErr error) error {
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(folder, ErrorFile), []byte(runErr.Error()+"\n"), 0o644)
}

// writeAtomically writes a file that other processes only see when it is
// complete. Others may read it: Sonobuoy's worker has another user.
func writeAtomically(path string, write func(*os.File) error) (err error) {
	f, err := os.CreateTemp(filepath.Dir(path), ".writing-")
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			_ = os.Remove(f.Name())
		}
	}()
	err = errors.Join(write(f), f.Chmod(0o644), f.Close())
	if err != nil {
		return err
	}
	return os.Rename(f.Name(), path)
}
