// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bytes"
	"testing"

	. "github.com/onsi/gomega"
	appsv1 "k8s.io/api/apps/v1"
	"sigs.k8s.io/yaml"

	"github.com/draconform/draconform/manifests"
)

func TestPluginAcceptsTheArgumentsOfTheManifests(t *testing.T) {
	for _, file := range []string{"fakedriver.yaml", "multihost.yaml"} {
		g := NewWithT(t)
		data, err := manifests.FS.ReadFile(file)
		g.Expect(err).NotTo(HaveOccurred())
		var args []string
		for document := range bytes.SplitSeq(data, []byte("\n---\n")) {
			var set appsv1.DaemonSet
			g.Expect(yaml.Unmarshal(document, &set)).To(Succeed())
			if set.Kind == "DaemonSet" {
				args = set.Spec.Template.Spec.Containers[0].Args
			}
		}
		g.Expect(args).NotTo(BeEmpty(), file)
		// The kubeconfig is read after all other flags were validated.
		_, err = run(append(args, "--node-name", "n", "--kubeconfig", "/does/not/exist")...)
		g.Expect(err).To(MatchError(ContainSubstring("load client configuration")), file)
	}
}
