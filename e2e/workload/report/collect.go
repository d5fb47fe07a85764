// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package report

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// New collects a report. The environment has the format of os.Environ. root is
// the root of the file system, "/" except in tests.
func New(environ []string, root string) Report {
	r := Report{APIVersion: APIVersion, Kind: Kind, Env: map[string]string{}}
	for _, variable := range environ {
		name, value, _ := strings.Cut(variable, "=")
		r.Env[name] = value
	}
	var err error
	r.DeviceNodes, err = deviceNodes(root)
	r.addError(FieldDeviceNodes, err)
	r.Mounts, err = mounts(filepath.Join(root, "proc/self/mountinfo"))
	r.addError(FieldMounts, err)
	r.Interfaces, err = interfaces()
	r.addError(FieldInterfaces, err)
	r.Metadata, err = metadata(root)
	r.addError(FieldMetadata, err)
	return r
}

// addError records why a field could not be collected completely.
func (r *Report) addError(field string, err error) {
	if err == nil {
		return
	}
	if r.Errors == nil {
		r.Errors = map[string]string{}
	}
	r.Errors[field] = err.Error()
}

// deviceNodes returns the device nodes below /dev.
func deviceNodes(root string) ([]string, error) {
	var all []string
	var problems []error
	err := filepath.WalkDir(filepath.Join(root, "dev"), func(path string, entry fs.DirEntry, err error) error {
		switch {
		case err != nil:
			problems = append(problems, err)
		case entry.Type()&fs.ModeDevice != 0:
			all = append(all, inContainer(root, path))
		}
		return nil
	})
	slices.Sort(all)
	return all, errors.Join(append(problems, err)...)
}

// inContainer returns a path as seen in the container.
func inContainer(root, path string) string {
	return "/" + strings.TrimPrefix(strings.TrimPrefix(path, root), "/")
}

// mounts returns the mount points in a file of the format of
// /proc/self/mountinfo.
func mounts(file string) ([]string, error) {
	content, err := os.ReadFile(file)
	if err != nil {
		return nil, fmt.Errorf("list mounts: %w", err)
	}
	var all []string
	for line := range strings.Lines(string(content)) {
		// The mount point is the fifth field, see proc_pid_mountinfo(5).
		const mountPoint = 4
		if fields := strings.Fields(line); len(fields) > mountPoint {
			all = append(all, unescaped.Replace(fields[mountPoint]))
		}
	}
	slices.Sort(all)
	return slices.Compact(all), nil
}

// unescaped replaces what the kernel writes for special characters of a path.
var unescaped = strings.NewReplacer(`\040`, " ", `\011`, "\t", `\012`, "\n", `\134`, `\`)

func interfaces() ([]Interface, error) {
	found, err := net.Interfaces()
	if err != nil {
		return nil, fmt.Errorf("list network interfaces: %w", err)
	}
	var all []Interface
	for _, i := range found {
		all = append(all, Interface{Name: i.Name, Address: i.HardwareAddr.String()})
	}
	return all, nil
}

// metadataFiles matches the device metadata files of claims and of claims from
// templates, one for each request and driver. See package
// k8s.io/dynamic-resource-allocation/api/metadata.
const metadataFiles = "var/run/kubernetes.io/dra-device-attributes/*/*/*/*-metadata.json"

// maxMetadata is the maximum size of a metadata file. It is far above what a
// claim needs, and below what the log of a container may have.
const maxMetadata = 128 << 10

func metadata(root string) (map[string]string, error) {
	paths, err := filepath.Glob(filepath.Join(root, metadataFiles))
	if err != nil {
		return nil, fmt.Errorf("find device metadata: %w", err)
	}
	if len(paths) == 0 {
		return nil, nil
	}
	all := map[string]string{}
	var problems []error
	for _, path := range paths {
		content, err := readMetadata(path)
		if err != nil {
			problems = append(problems, err)
			continue
		}
		all[inContainer(root, path)] = string(content)
	}
	return all, errors.Join(problems...)
}

func readMetadata(path string) ([]byte, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("read device metadata: %w", err)
	}
	defer func() { _ = file.Close() }()
	content, err := io.ReadAll(io.LimitReader(file, maxMetadata+1))
	switch {
	case err != nil:
		return nil, fmt.Errorf("read device metadata: %w", err)
	case len(content) > maxMetadata:
		return nil, fmt.Errorf("read device metadata: %s has more than %d bytes", path, maxMetadata)
	}
	return content, nil
}
