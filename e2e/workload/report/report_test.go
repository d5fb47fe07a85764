// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package report_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	. "github.com/onsi/gomega"

	"github.com/draconform/draconform/e2e/workload/report"
)

// root returns the root of a file system with the given files.
func root(t *testing.T, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for path, content := range files {
		path = filepath.Join(dir, path)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

const (
	mountInfo  = "/proc/self/mountinfo"
	attributes = "/var/run/kubernetes.io/dra-device-attributes"
)

func TestNew(t *testing.T) {
	g := NewWithT(t)
	dir := root(t, map[string]string{
		"/dev/null": "", // A regular file is no device node.
		mountInfo:   "22 1 0:20 / / rw - overlay overlay rw\n23 22 0:21 / /a\\040b rw - tmpfs tmpfs rw\n24 22 0:22 / /a\\040b rw - tmpfs tmpfs rw\n",
		attributes + "/resourceclaims/claim/r/gpu.example.com-metadata.json":        "1",
		attributes + "/resourceclaimtemplates/made/r/gpu.example.com-metadata.json": "2",
		attributes + "/resourceclaims/claim/r/other.json":                           "3",
	})
	got := report.New([]string{"A=1", "B=", "C=x=y"}, dir)
	g.Expect(got.Interfaces).NotTo(BeEmpty())
	got.Interfaces = nil
	g.Expect(got).To(Equal(report.Report{
		APIVersion: "draconform.dev/v1alpha2", Kind: "Devices", Env: map[string]string{"A": "1", "B": "", "C": "x=y"},
		Mounts: []string{"/", "/a b"},
		Metadata: map[string]string{
			attributes + "/resourceclaims/claim/r/gpu.example.com-metadata.json":        "1",
			attributes + "/resourceclaimtemplates/made/r/gpu.example.com-metadata.json": "2",
		},
	}))
}

func TestDeviceNodes(t *testing.T) {
	NewWithT(t).Expect(report.New(nil, "/").DeviceNodes).To(ContainElement("/dev/null"))
}

// What could not be collected must not be mistaken for absent.
func TestErrors(t *testing.T) {
	g := NewWithT(t)
	dir := root(t, map[string]string{attributes + "/resourceclaims/claim/r/a-metadata.json": strings.Repeat("x", 200<<10)})
	got := report.New(nil, dir)
	g.Expect(got.Errors).To(HaveLen(3))
	g.Expect(got.Errors[report.FieldDeviceNodes]).To(ContainSubstring("no such file"))
	g.Expect(got.Errors[report.FieldMounts]).To(HavePrefix("list mounts: "))
	g.Expect(got.Errors[report.FieldMetadata]).To(HaveSuffix("a-metadata.json has more than 131072 bytes"))
}

func TestRead(t *testing.T) {
	g := NewWithT(t)
	printed := report.New([]string{"A=<1>"}, t.TempDir())
	encoded, err := json.Marshal(printed)
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(report.Read(append(encoded, "\nmore that it says\n"...))).To(Equal(printed), "only the first line counts")
}

// An unreadable log must not be mistaken for a container without devices.
func TestReadErrors(t *testing.T) {
	for name, test := range map[string]struct{ log, want string }{
		"empty":           {"", `the container has not reported its devices yet; its log: ""`},
		"half a line":     {`{"kind":"Devices","en`, "the container has not reported its devices yet"},
		"not JSON":        {"exec format error\n", `read the container's report "exec format error"`},
		"another kind":    {"{\"level\":\"info\"}\n", "no report of kind Devices"},
		"null":            {"null\n", "no report of kind Devices"},
		"wrong type":      {`{"apiVersion":"draconform.dev/v1alpha2","kind":"Devices","env":"all"}` + "\n", "read the container's report"},
		"another version": {`{"kind":"Devices","devices":[]}` + "\n", `has the version "", not "draconform.dev/v1alpha2": the workload image must be of the same version`},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := report.Read([]byte(test.log))
			NewWithT(t).Expect(err).To(MatchError(ContainSubstring(test.want)))
		})
	}
}
