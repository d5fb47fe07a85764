// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package state

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	. "github.com/onsi/gomega"
)

const (
	class   = "apiVersion: resource.k8s.io/v1\nkind: DeviceClass\nmetadata: {name: gpu}\n"
	oldSpec = "  devices: {requests: [{name: gpu, deviceClassName: gpu, tolerations: [{key: a}]}]}\n"
)

func readText(text string) (*Objects, error) {
	return Read([]string{Stdin}, strings.NewReader(text))
}

func TestReadSplitsDocumentsAndLists(t *testing.T) {
	for name, text := range map[string]string{
		"documents":          class + "---\n# Nothing but a comment.\n---\n" + strings.ReplaceAll(class, "gpu", "nic"),
		"list of one kind":   `{"apiVersion": "resource.k8s.io/v1", "kind": "DeviceClassList", "items": [{"metadata": {"name": "gpu"}}, {"metadata": {"name": "nic"}}]}`,
		"list of many kinds": "apiVersion: v1\nkind: List\nitems:\n- {apiVersion: resource.k8s.io/v1, kind: DeviceClass, metadata: {name: gpu}}\n- {apiVersion: resource.k8s.io/v1beta1, kind: DeviceClass, metadata: {name: nic}}\n- {apiVersion: v1, kind: Pod, metadata: {name: p}}\n",
		"YAML with braces":   "{apiVersion: resource.k8s.io/v1, kind: DeviceClass, metadata: {name: gpu}}\n---\n{\"apiVersion\": \"resource.k8s.io/v1\", \"kind\": \"DeviceClass\", \"metadata\": {\"name\": \"nic\"}}\n",
		"several in JSON":    `{"apiVersion": "resource.k8s.io/v1", "kind": "DeviceClass", "metadata": {"name": "gpu"}} {"apiVersion": "resource.k8s.io/v1beta2", "kind": "DeviceClass", "metadata": {"name": "nic"}}`,
	} {
		t.Run(name, func(t *testing.T) {
			g := NewWithT(t)
			objects, err := readText(text)
			g.Expect(err).NotTo(HaveOccurred())
			g.Expect(objects.Classes).To(HaveLen(2))
			g.Expect(objects.Classes[0].Name).To(Equal("gpu"))
			g.Expect(objects.Classes[1].Name).To(Equal("nic"))
			g.Expect(objects.Position(objects.Classes[1])).To(Equal(1))
		})
	}
}

func TestReadOfAFolderIsSortedAndRecordsOrigins(t *testing.T) {
	g := NewWithT(t)
	dir := t.TempDir()
	for name, text := range map[string]string{
		"b.yaml": strings.ReplaceAll(class, "gpu", "b"), "a.yml": class + "---\n" + strings.ReplaceAll(class, "gpu", "a2"), "README.md": "# Not read.",
	} {
		g.Expect(os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600)).To(Succeed())
	}
	objects, err := Read([]string{dir}, nil)
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(objects.Classes).To(HaveLen(3))
	g.Expect(objects.Origin(objects.Classes[1])).To(Equal(Origin{filepath.Join(dir, "a.yml"), 2}))
	g.Expect(objects.Classes[2].Name).To(Equal("b"))
}

func TestReadConvertsOlderVersionsAndSetsDefaults(t *testing.T) {
	for version, spec := range map[string]string{
		"v1beta1": oldSpec,
		"v1beta2": strings.ReplaceAll(strings.ReplaceAll(oldSpec, "deviceClassName", "exactly: {deviceClassName"), "]}]", "]}}]"),
		"v1":      strings.ReplaceAll(strings.ReplaceAll(oldSpec, "deviceClassName", "exactly: {deviceClassName"), "]}]", "]}}]"),
	} {
		t.Run(version, func(t *testing.T) {
			g := NewWithT(t)
			objects, err := readText("apiVersion: resource.k8s.io/" + version + "\nkind: ResourceClaim\nmetadata: {name: c}\nspec:\n" + spec)
			g.Expect(err).NotTo(HaveOccurred())
			request := objects.Claims[0].Spec.Devices.Requests[0].Exactly
			g.Expect(request.DeviceClassName).To(Equal("gpu"))
			g.Expect(request.Count).To(Equal(int64(1)))
			g.Expect(string(request.AllocationMode)).To(Equal("ExactCount"))
			g.Expect(string(request.Tolerations[0].Operator)).To(Equal("Equal"))
		})
	}
}

func TestReadTreatsTemplatesLikeClaims(t *testing.T) {
	for version, spec := range map[string]string{
		"v1beta1": oldSpec,
		"v1":      strings.ReplaceAll(strings.ReplaceAll(oldSpec, "deviceClassName", "exactly: {deviceClassName"), "]}]", "]}}]"),
	} {
		t.Run(version, func(t *testing.T) {
			g := NewWithT(t)
			text := "apiVersion: resource.k8s.io/" + version + "\nkind: ResourceClaimTemplate\nmetadata: {name: t}\nspec:\n  spec:\n" + strings.ReplaceAll(spec, "  devices", "    devices")
			objects, err := readText(text)
			g.Expect(err).NotTo(HaveOccurred())
			g.Expect(objects.Claims).To(BeEmpty(), "a template has no allocation")
			request := objects.Templates[0].Spec.Spec.Devices.Requests[0].Exactly
			g.Expect(request.DeviceClassName).To(Equal("gpu"))
			g.Expect(request.Count).To(Equal(int64(1)))
			g.Expect(string(request.Tolerations[0].Operator)).To(Equal("Equal"))
		})
	}
}

func TestReadRejectsInvalidInput(t *testing.T) {
	for name, c := range map[string]struct{ text, want string }{
		"unknown field":     {class + "spec: {selector: []}\n", `^-, document 1: decode DeviceClass: .*unknown field "spec.selector"`},
		"other letter case": {class + "Spec: {}\n", `unknown field "Spec"`},
		"repeated key":      {class + "---\n" + class + "kind: DeviceClass\n", `(?s)^-, document 2: .*"kind" already set in map`},
		"repeated in JSON":  {`{"apiVersion": "resource.k8s.io/v1", "kind": "DeviceClass", "metadata": {"name": "a", "name": "b"}}`, `duplicate field "metadata.name"`},
		"unknown kind":      {strings.ReplaceAll(class, "DeviceClass", "DeviceClas"), `there is no kind "DeviceClas" in resource.k8s.io/v1$`},
		"old version":       {strings.ReplaceAll(class, "/v1", "/v1alpha3"), `version resource.k8s.io/v1alpha3 is not supported, use v1, v1beta2 or v1beta1$`},
		"no object":         {"a: 1\n", `apiVersion or kind is missing$`},
		"no YAML":           {"a: [\n", `^-, document 1: `},
		"incomplete JSON":   {`{"a": `, `^-, document 1: unexpected EOF$`},
		"item of a list":    {"apiVersion: v1\nkind: List\nitems: [{apiVersion: v1, kind: Nod}]\n", `^-, document 1: item 0: decode: there is no kind "Nod" in v1$`},
	} {
		t.Run(name, func(t *testing.T) {
			g := NewWithT(t)
			objects, err := readText(c.text)
			g.Expect(err).To(MatchError(MatchRegexp(c.want)))
			g.Expect(objects).To(BeNil())
		})
	}
}

func TestReadReportsMissingFiles(t *testing.T) {
	g := NewWithT(t)
	dir := t.TempDir()
	_, err := Read([]string{filepath.Join(dir, "missing.yaml")}, nil)
	g.Expect(err).To(MatchError(os.ErrNotExist))
	g.Expect(err).To(MatchError(ContainSubstring("missing.yaml")))
	_, err = Read([]string{dir}, nil)
	g.Expect(err).To(MatchError(HaveSuffix("no file ends in .yaml, .yml, .json")))
}

func TestReadRecordsIgnoredKindsOnce(t *testing.T) {
	g := NewWithT(t)
	pod := "apiVersion: v1\nkind: Pod\n---\n"
	objects, err := readText(pod + pod + "apiVersion: apps/v1\nkind: Deployment\n")
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(objects.Ignored).To(Equal([]string{"Pod", "Deployment"}))
	g.Expect(objects.Empty()).To(BeTrue())
}
