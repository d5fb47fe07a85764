// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"io/fs"
	"strings"
	"testing"

	. "github.com/onsi/gomega"
	admissionv1 "k8s.io/api/admissionregistration/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/draconform/draconform/e2e/journeys"
	"github.com/draconform/draconform/e2e/specs"
)

// Each fault of an API server is a policy with a binding, and vice versa.
func TestPoliciesAreFaults(t *testing.T) {
	g := NewWithT(t)
	all, err := load(data, ownComponents, specs.All(), journeys.All())
	g.Expect(err).NotTo(HaveOccurred())
	want := []string{probePolicy}
	for _, f := range all.Faults {
		if f.Broken == apiServer {
			want = append(want, f.Name)
		}
	}
	files, err := fs.Glob(policyFiles, "policies/*.yaml")
	g.Expect(err).NotTo(HaveOccurred())
	var got []string
	for _, file := range files {
		name := strings.TrimSuffix(strings.TrimPrefix(file, "policies/"), ".yaml")
		got = append(got, name)
		objects, err := policies([]string{name})
		g.Expect(err).NotTo(HaveOccurred(), name)
		g.Expect(objects).To(HaveLen(4), "those of the probe, a policy and its binding")
		for _, object := range objects[2:] {
			g.Expect(object.(metav1.Object).GetName()).To(Equal(name))
		}
		switch binding := objects[3].(type) {
		case *admissionv1.MutatingAdmissionPolicyBinding:
			g.Expect(binding.Spec.PolicyName).To(Equal(name))
		case *admissionv1.ValidatingAdmissionPolicyBinding:
			g.Expect(binding.Spec.PolicyName).To(Equal(name))
		default:
			t.Errorf("%s: %T is not a binding", name, binding)
		}
	}
	g.Expect(got).To(ConsistOf(want))
}

func TestNoPoliciesWithoutFaults(t *testing.T) {
	g := NewWithT(t)
	g.Expect(policies(nil)).To(BeEmpty())
	_, err := policies([]string{"unheard-of"})
	g.Expect(err).To(MatchError(ContainSubstring("read the policy of fault unheard-of")))
}
