// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"testing"

	. "github.com/onsi/gomega"

	"github.com/draconform/draconform/clusters/engine/caps"
)

const (
	all         = ^caps.Set(0)
	sysResource = caps.Set(1 << 24)
	sysTime     = caps.Set(1 << 25)
)

// sample reads a file that containerd wrote for Docker: the container of a kind
// node, or a process in it.
func sample(t *testing.T, name string) []byte {
	t.Helper()
	content, err := os.ReadFile(filepath.Join("testdata", name))
	NewWithT(t).Expect(err).NotTo(HaveOccurred())
	return content
}

func decode(t *testing.T, content []byte) map[string]any {
	t.Helper()
	var all map[string]any
	NewWithT(t).Expect(json.Unmarshal(content, &all)).To(Succeed())
	return all
}

// without removes capabilities from a decoded process.
func without(process map[string]any, names ...string) {
	for set, values := range process["capabilities"].(map[string]any) {
		process["capabilities"].(map[string]any)[set] = slices.DeleteFunc(values.([]any), func(v any) bool {
			return slices.Contains(names, v.(string))
		})
	}
}

func TestRestrictContainer(t *testing.T) {
	g := NewWithT(t)
	content := sample(t, "config.json")
	got, err := restrict(content, configFile, all&^sysResource&^sysTime)
	g.Expect(err).NotTo(HaveOccurred())
	want := decode(t, content)
	g.Expect(decode(t, got)).NotTo(Equal(want))
	without(want["process"].(map[string]any), "CAP_SYS_RESOURCE", "CAP_SYS_TIME")
	g.Expect(decode(t, got)).To(Equal(want))
	g.Expect(string(got)).To(ContainSubstring("9223372036854771712"), "big numbers keep their digits")
}

func TestRestrictProcess(t *testing.T) {
	g := NewWithT(t)
	content := sample(t, "process.json")
	got, err := restrict(content, processFile, all&^sysResource)
	g.Expect(err).NotTo(HaveOccurred())
	want := decode(t, content)
	without(want, "CAP_SYS_RESOURCE")
	g.Expect(decode(t, got)).To(Equal(want))
	g.Expect(string(got)).To(ContainSubstring(`\"<&>\"`), "text is not escaped")
}

func TestRestrictAllFiveSets(t *testing.T) {
	g := NewWithT(t)
	got, err := restrict([]byte(`{"capabilities":{
		"bounding":["CAP_SYS_RESOURCE","CAP_CHOWN"], "effective":["CAP_SYS_RESOURCE"], "permitted":["cap_sys_resource","CAP_KILL"],
		"inheritable":["CAP_CHOWN","CAP_SYS_RESOURCE"], "ambient":["CAP_CHOWN","CAP_SYS_RESOURCE","CAP_TELEPORT"]}}`),
		processFile, all&^sysResource)
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(got).To(MatchJSON(`{"capabilities":{
		"bounding":["CAP_CHOWN"], "effective":[], "permitted":["CAP_KILL"],
		"inheritable":["CAP_CHOWN"], "ambient":["CAP_CHOWN","CAP_TELEPORT"]}}`))
}

func TestRestrictNothing(t *testing.T) {
	for name, test := range map[string]struct {
		content string
		kind    kind
		granted caps.Set
	}{
		"all granted":           {string(sample(t, "config.json")), configFile, all},
		"none requested":        {`{"capabilities":{"bounding":["CAP_CHOWN"],"ambient":null}}`, processFile, all &^ sysResource},
		"no sets":               {`{"args":["sh"]}`, processFile, 0},
		"null sets":             {`{"capabilities":null}`, processFile, 0},
		"no process":            {`{"ociVersion":"1.0.2"}`, configFile, 0},
		"an unknown capability": {`{"capabilities":{"bounding":["CAP_TELEPORT"]}}`, processFile, 0},
	} {
		t.Run(name, func(t *testing.T) {
			g := NewWithT(t)
			got, err := restrict([]byte(test.content), test.kind, test.granted)
			g.Expect(err).NotTo(HaveOccurred())
			g.Expect(got).To(BeNil())
		})
	}
}

func TestRestrictErrors(t *testing.T) {
	for content, want := range map[string]string{
		`{"process":`:                                 "unexpected end",
		`{"process":[]}`:                              "process: json: cannot unmarshal array",
		`{"process":{"capabilities":[]}}`:             "process: capabilities: json: cannot unmarshal array",
		`{"process":{"capabilities":{"bounding":1}}}`: "process: capabilities: capability set bounding: json: cannot unmarshal number",
	} {
		t.Run(content, func(t *testing.T) {
			_, err := restrict([]byte(content), configFile, all)
			NewWithT(t).Expect(err).To(MatchError(ContainSubstring(want)))
		})
	}
}

func TestRestrictFile(t *testing.T) {
	g := NewWithT(t)
	dir := t.TempDir()
	path := filepath.Join(dir, "process.json")
	content := sample(t, "process.json")
	g.Expect(os.WriteFile(path, content, 0o640)).To(Succeed())
	before, err := os.Stat(path)
	g.Expect(err).NotTo(HaveOccurred())

	g.Expect(restrictFile(path, processFile, all)).To(Succeed())
	untouched, err := os.Stat(path)
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(os.SameFile(before, untouched)).To(BeTrue(), "an unchanged file is not written")

	g.Expect(restrictFile(path, processFile, all&^sysResource)).To(Succeed())
	got, err := os.ReadFile(path)
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(string(got)).NotTo(ContainSubstring("CAP_SYS_RESOURCE"))
	after, err := os.Stat(path)
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(after.Mode()).To(Equal(before.Mode()))
	g.Expect(os.SameFile(before, after)).To(BeFalse(), "it is replaced by a rename")
	g.Expect(os.ReadDir(dir)).To(HaveLen(1), "no temporary files are left")

	g.Expect(restrictFile(filepath.Join(dir, "absent"), processFile, all)).To(MatchError(os.ErrNotExist))
}
