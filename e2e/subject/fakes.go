// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package subject

import (
	"embed"
	"fmt"
	"path"
	"strings"

	"github.com/draconform/draconform/e2e/subject/driverfile"
)

// Fakes has the names of the suite's fake drivers. A driver with an empty name
// is not installed.
type Fakes struct {
	// MIG is the driver of A100 40GB GPUs. Each node has one or more of them.
	MIG string
	// WithoutPartitions is set if MIG has GPUs that cannot be partitioned. Each
	// node has four or more of them.
	WithoutPartitions bool
	// TPU is the driver of a 4x4 topology over four hosts.
	TPU string
	// NIC is the driver of network interfaces that claims share. Each node has
	// some of them.
	NIC string
}

//go:embed fakes/*.yaml
var fakeFiles embed.FS

// Subject returns the description of the devices of the fake drivers.
func (f Fakes) Subject() Subject {
	gpus := "mig"
	if f.WithoutPartitions {
		gpus = "whole-gpu"
	}
	var drivers []*driverfile.Driver
	for _, fake := range []struct{ file, name string }{{gpus, f.MIG}, {"tpu", f.TPU}, {"nic", f.NIC}} {
		if fake.name != "" {
			driver := loadFake(fake.file)
			driver.Name = fake.name
			drivers = append(drivers, driver)
		}
	}
	s, err := Of(drivers...)
	if err != nil {
		panic(fmt.Sprintf("embedded driver files: %v", err))
	}
	return s
}

// FakeFiles returns the names of the driver files of the fake drivers, sorted.
func FakeFiles() []string {
	entries, err := fakeFiles.ReadDir("fakes")
	if err != nil {
		panic(fmt.Sprintf("list embedded driver files: %v", err))
	}
	var names []string
	for _, entry := range entries {
		names = append(names, strings.TrimSuffix(entry.Name(), path.Ext(entry.Name())))
	}
	return names
}

// FakeFile returns the driver file of a fake driver.
func FakeFile(name string) ([]byte, error) {
	content, err := fakeFiles.ReadFile("fakes/" + name + ".yaml")
	if err != nil {
		return nil, fmt.Errorf("driver file %q is not known, use one of %s", name, strings.Join(FakeFiles(), ", "))
	}
	return content, nil
}

// loadFake decodes an embedded driver file. It panics if the file is invalid: a
// test decodes and validates all of them.
func loadFake(name string) *driverfile.Driver {
	content, err := FakeFile(name)
	if err != nil {
		panic(err)
	}
	drivers, err := driverfile.Decode("", content)
	if err != nil {
		panic(fmt.Sprintf("embedded driver file %s: %v", name, err))
	}
	return drivers[0]
}
