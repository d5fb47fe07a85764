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
	"slices"
	"strings"

	"tags.cncf.io/container-device-interface/pkg/cdi"
	"tags.cncf.io/container-device-interface/pkg/parser"

	"github.com/draconform/draconform/e2e/nodeagent/api"
)

const (
	// maxCDIFiles is the maximum number of files in all CDI directories.
	maxCDIFiles = 10000
	// maxCDIFile is the maximum size of a file that is read, in bytes.
	maxCDIFile = 4 << 20
)

// cdiFiles returns the files in the CDI directories that container runtimes
// read, sorted by path. A directory that does not exist has none.
func (c Config) cdiFiles() ([]api.CDIFile, error) {
	var all []api.CDIFile
	for _, dir := range c.CDIDirs {
		entries, err := os.ReadDir(dir)
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return nil, fmt.Errorf("list CDI files: %w", err)
		}
		for _, entry := range entries {
			// Container runtimes ignore other files, and directories.
			if entry.IsDir() || !isCDIFile(entry.Name()) {
				continue
			}
			if len(all) == maxCDIFiles {
				return nil, fmt.Errorf("list CDI files: there are more than %d", maxCDIFiles)
			}
			if file, ok := cdiFile(filepath.Join(dir, entry.Name())); ok {
				all = append(all, file)
			}
		}
	}
	slices.SortFunc(all, func(a, b api.CDIFile) int { return strings.Compare(a.Path, b.Path) })
	return all, nil
}

// isCDIFile reports whether container runtimes read files of this name.
func isCDIFile(name string) bool {
	ext := filepath.Ext(name)
	return ext == ".json" || ext == ".yaml"
}

// cdiFile describes a file. It returns false if the file was removed meanwhile.
func cdiFile(path string) (api.CDIFile, bool) {
	file := api.CDIFile{Path: path}
	data, err := readLimited(path, maxCDIFile)
	if err == nil {
		sum := sha256.Sum256(data)
		file.Size, file.SHA256 = int64(len(data)), hex.EncodeToString(sum[:])
		file.Devices, err = cdiDevices(path)
	}
	if errors.Is(err, fs.ErrNotExist) {
		return file, false
	}
	if err != nil {
		file.Error = err.Error()
	}
	return file, true
}

// cdiDevices returns the names of the devices in a file as container runtimes
// read it.
func cdiDevices(path string) ([]string, error) {
	spec, err := cdi.ReadSpec(path, 0)
	if err != nil {
		return nil, err
	}
	var names []string
	for _, device := range spec.Devices {
		names = append(names, parser.QualifiedName(spec.GetVendor(), spec.GetClass(), device.Name))
	}
	return names, nil
}
