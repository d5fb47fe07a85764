// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"

	. "github.com/onsi/gomega"
	appsv1 "k8s.io/api/apps/v1"
	"sigs.k8s.io/yaml"

	"github.com/draconform/draconform/manifests"
)

func TestControllerMisuse(t *testing.T) {
	described := filepath.Join(t.TempDir(), "mine.yaml")
	NewWithT(t).Expect(os.WriteFile(described, []byte("name: mine\ngird: 2x2\n"), 0o600)).To(Succeed())
	for _, test := range []struct {
		args    []string
		message string
	}{
		{[]string{"more"}, "unknown command"},
		{[]string{"--topology", "9x9"}, `unknown topology "9x9", use one of 4x4, 8x8`},
		{[]string{"--topology", "missing.yaml"}, "read topology: open missing.yaml"},
		{[]string{"--topology", described}, "line 2: field gird not found"},
		{[]string{"--kubeconfig", "/does/not/exist"}, "load client configuration"},
	} {
		_, err := run(append([]string{"controller"}, test.args...)...)
		NewWithT(t).Expect(err).To(MatchError(ContainSubstring(test.message)), "%v", test.args)
	}
}

func TestControllerAcceptsTheArgumentsOfTheManifest(t *testing.T) {
	g := NewWithT(t)
	data, err := manifests.FS.ReadFile("multihost.yaml")
	g.Expect(err).NotTo(HaveOccurred())
	var deployment appsv1.Deployment
	for document := range bytes.SplitSeq(data, []byte("\n---\n")) {
		var candidate appsv1.Deployment
		g.Expect(yaml.Unmarshal(document, &candidate)).To(Succeed())
		if candidate.Kind == "Deployment" {
			deployment = candidate
		}
	}
	args := deployment.Spec.Template.Spec.Containers[0].Args
	// The kubeconfig is read after all other flags were validated.
	_, err = run(append(args, "--kubeconfig", "/does/not/exist")...)
	g.Expect(err).To(MatchError(ContainSubstring("load client configuration")))
}
