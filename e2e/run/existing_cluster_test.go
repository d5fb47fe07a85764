// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package run

import (
	"bytes"
	"errors"
	"testing"

	. "github.com/onsi/gomega"

	"github.com/draconform/draconform/clusters/existing"
	"github.com/draconform/draconform/e2e/report"
)

// A run in a pod has no kubeconfig. Its workers find the cluster of the pod by
// themselves.
func TestWorkersInAPodUseItsCluster(t *testing.T) {
	g := NewWithT(t)
	check := `case "$input" in *'"kubeconfig":"","context":"","owned":false'*) ;; *) echo "not in the input: $input" >&2; exit 3;; esac; `
	r := workersRunner(&bytes.Buffer{}, script(check))
	inPod := existingCluster{runner: r, provider: &existing.Provider{}}
	_, err := runInWorkers(t.Context(), r, inPod, fakeSubject(), independentSpecs("a", "b"))
	g.Expect(err).NotTo(HaveOccurred())
	var described report.Cluster
	inPod.describe(&described)
	g.Expect(described.Name).To(Equal("in-cluster"))
	g.Expect(inPod.cleanupHint()).To(Equal("kept all objects of run run-1 in cluster in-cluster, delete them with: draconform clean --provider existing --run run-1"))
}

// What a run could not remove is found by the command that its last message has.
func TestRemovalThatFails(t *testing.T) {
	g := NewWithT(t)
	r := workersRunner(&bytes.Buffer{}, nil)
	r.Namespace, r.Kubeconfig = "team", "/a/kubeconfig"
	stuck := errors.New("delete namespace draconform-1-specs: forbidden")
	g.Expect(r.notRemoved(false, "prod", nil, stuck)).To(MatchError("delete namespace draconform-1-specs: forbidden\n" +
		`objects of the run may remain in the cluster: delete them with "draconform clean --provider existing --run run-1 --kubeconfig /a/kubeconfig --context prod --namespace team"`))
	g.Expect(r.notRemoved(false, "prod", nil, nil)).To(Succeed())
	g.Expect(r.notRemoved(true, "kind-run-1", stuck)).To(MatchError(stuck.Error()), "the cluster of the run is removed with it")
}
