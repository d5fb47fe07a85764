// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package driverfile_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/cockroachdb/datadriven"
	. "github.com/onsi/gomega"

	"github.com/draconform/draconform/e2e/subject/driverfile"
)

// header is the beginning of a driver in test data. Lines of errors count from
// its first line.
const header = "apiVersion: draconform.dev/v1alpha1\nkind: Driver\nname: gpu.example.com\n"

// The test data has a driver per case, without the header for "check". The
// output is the error.
func TestCheck(t *testing.T) {
	datadriven.Walk(t, "testdata/check", func(t *testing.T, path string) {
		datadriven.RunTest(t, path, func(t *testing.T, d *datadriven.TestData) string {
			content := d.Input
			if d.Cmd == "check" {
				content = header + content
			}
			file := filepath.Join(t.TempDir(), "gpu.yaml")
			NewWithT(t).Expect(os.WriteFile(file, []byte(content), 0o600)).To(Succeed())
			_, err := driverfile.Read(file)
			if err == nil {
				return "ok\n"
			}
			return strings.ReplaceAll(err.Error(), filepath.Dir(file)+string(filepath.Separator), "") + "\n"
		})
	})
}

func read(t *testing.T, content string) []*driverfile.Driver {
	t.Helper()
	g := NewWithT(t)
	file := filepath.Join(t.TempDir(), "gpu.yaml")
	g.Expect(os.WriteFile(file, []byte(content), 0o600)).To(Succeed())
	drivers, err := driverfile.Read(file)
	g.Expect(err).NotTo(HaveOccurred())
	return drivers
}

// driver returns the driver with the given fields.
func driver(t *testing.T, fields string) *driverfile.Driver {
	t.Helper()
	return read(t, header+fields)[0]
}

func TestSeveralDocumentsAreSeveralDrivers(t *testing.T) {
	g := NewWithT(t)
	drivers := read(t, "# one\n---\n"+header+"---\n"+strings.Replace(header, "gpu", "nic", 1))
	g.Expect(drivers).To(HaveLen(2))
	g.Expect(drivers[0].Name).To(Equal("gpu.example.com"))
	g.Expect(drivers[1].Name).To(Equal("nic.example.com"))
}

func TestReadReportsTheProblemsOfAllFiles(t *testing.T) {
	g := NewWithT(t)
	dir := t.TempDir()
	write := func(name, content string) string {
		path := filepath.Join(dir, name)
		g.Expect(os.WriteFile(path, []byte(content), 0o600)).To(Succeed())
		return path
	}
	good, same, bad := write("good.yaml", header), write("same.yaml", header), write("bad.yaml", header+"mod: x\n")
	_, err := driverfile.Read(good, same, bad, filepath.Join(dir, "none.yaml"))
	lines := strings.Split(err.Error(), "\n")
	g.Expect(lines).To(HaveExactElements(
		Equal(same+", line 3: name: driver gpu.example.com is already described in "+good+", line 3"),
		Equal(bad+`, line 4: unknown field "mod", did you mean "mode"?`),
		HavePrefix("read a driver file: open "),
	))
}

// The name of a driver is replaced in texts and, as a literal, in patterns.
func TestExpand(t *testing.T) {
	g := NewWithT(t)
	d := driver(t, "")
	g.Expect(d.Expand("$(name)/a, $(name)/b")).To(Equal("gpu.example.com/a, gpu.example.com/b"))
	d.Name = "x"
	g.Expect(d.Expand("$(name)/a")).To(Equal("x/a"))
}

func TestCapabilities(t *testing.T) {
	g := NewWithT(t)
	all := driver(t, "capabilities: {cdi: no, health: yes, rollingUpdate: find-out}").Capabilities.List()
	g.Expect(all).To(ContainElements(
		driverfile.Capability{Name: "cdi", Answer: driverfile.No},
		driverfile.Capability{Name: "health", Answer: driverfile.Yes},
		driverfile.Capability{Name: "rollingUpdate", Answer: driverfile.FindOut},
		driverfile.Capability{Name: "adminAccess", Answer: driverfile.FindOut},
	))
}
