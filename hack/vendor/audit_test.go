// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	. "github.com/onsi/gomega"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/rest"

	"github.com/draconform/draconform/e2e/report"
	"github.com/draconform/draconform/e2e/suite"
	"github.com/draconform/draconform/hack/internal/foreign"
)

func TestAuditPolicyIsWrittenForAllRuns(t *testing.T) {
	g := NewWithT(t)
	c := stub(t)
	g.Expect(os.WriteFile(c.draconform, []byte("#!/bin/sh\necho \"$@\"\n"), 0o755)).To(Succeed())
	dir, err := c.writeAuditPolicy(t.Context())
	g.Expect(err).NotTo(HaveOccurred())
	content, err := os.ReadFile(filepath.Join(dir, "policy.yaml"))
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(string(content)).To(Equal("rbac audit-policy --service-account draconform-audit/own-namespace --service-account draconform-audit/given-namespace\n"))
}

func TestOutputErrorHasTheMessageOfTheCommand(t *testing.T) {
	g := NewWithT(t)
	c := stub(t)
	g.Expect(os.WriteFile(c.draconform, []byte("#!/bin/sh\necho found\necho why >&2\nexit 1\n"), 0o755)).To(Succeed())
	out, err := c.output(t.Context(), "rbac", "compare")
	g.Expect(err).To(MatchError(c.draconform + " [rbac compare]: exit status 1: why"))
	g.Expect(string(out)).To(Equal("found\n"), "what was found is printed, too")
}

func TestAuditedRunsHaveAccountsAndNamespaces(t *testing.T) {
	g := NewWithT(t)
	objects, err := foreign.Decode([]byte(accountsManifest()))
	g.Expect(err).NotTo(HaveOccurred())
	var names []string
	for _, object := range objects {
		names = append(names, nameOf(object))
	}
	g.Expect(strings.Join(names, " ")).To(Equal("draconform-audit draconform-audit/own-namespace draconform-audit/given-namespace given"))
	g.Expect(auditedRuns[1].rbacFlags()).To(Equal([]string{"--service-account", "draconform-audit/given-namespace", "--node-agent", "--namespace", "given"}))
}

func TestFailedSpecsIncludeProvisionalOnes(t *testing.T) {
	of := func(id string, outcome suite.Outcome, level suite.Level) report.Spec {
		return report.Spec{ID: id, Outcome: outcome, Level: level.String()}
	}
	got := report.Report{Specs: []report.Spec{of("a", suite.Passed, suite.Core), of("b", suite.Failed, suite.Provisional), of("c", suite.NotApplicable, suite.Core), of("d", suite.Failed, suite.Core)}}
	NewWithT(t).Expect(failedSpecs(got)).To(Equal([]string{"b", "d"}))
}

func nameOf(object runtime.Object) string {
	switch of := object.(type) {
	case *corev1.Namespace:
		return of.Name
	case *corev1.ServiceAccount:
		return of.Namespace + "/" + of.Name
	}
	return ""
}

// The administrator's certificate must not be in the kubeconfig: runs would have
// all rights.
func TestKubeconfigHasTheTokenOnly(t *testing.T) {
	g := NewWithT(t)
	got := kubeconfigOf(&rest.Config{Host: "https://127.0.0.1:6443", TLSClientConfig: rest.TLSClientConfig{CAData: []byte("ca"), CertData: []byte("cert"), KeyData: []byte("key")}}, "secret")
	user := got.AuthInfos[got.Contexts[got.CurrentContext].AuthInfo]
	g.Expect(user.Token).To(Equal("secret"))
	g.Expect(user.ClientCertificateData).To(BeEmpty())
	g.Expect(user.ClientKeyData).To(BeEmpty())
	g.Expect(got.Clusters["audited"].CertificateAuthorityData).To(Equal([]byte("ca")))
}
