// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package simulated

import (
	"context"
	"errors"
	"fmt"

	"github.com/onsi/ginkgo/v2"
	"github.com/onsi/gomega"
	resourceapi "k8s.io/api/resource/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"

	"github.com/draconform/draconform/e2e/suite/taintrules"
)

// CreateTaintRule creates a DeviceTaintRule. Rules are for the whole cluster, so
// the selector must name the driver of the simulated nodes or
// [Nodes.OtherDriver]. The rule is deleted at the end of the spec at the latest.
func (s *Nodes) CreateTaintRule(ctx context.Context, name string, selector resourceapi.DeviceTaintSelector, taint resourceapi.DeviceTaint) {
	ginkgo.GinkgoHelper()
	if driver := ptr.Deref(selector.Driver, ""); driver != s.Driver && driver != s.OtherDriver() {
		ginkgo.Fail("a device taint rule of a spec must not select devices of other drivers")
	}
	s.createTaintRule(ctx, name, &selector, taint)
}

// CreateTaintRuleWithoutCriteria is [Nodes.CreateTaintRule] with an empty selector, or
// with none. The taint must not evict pods. The spec must have [env.NeedsOwnCluster].
func (s *Nodes) CreateTaintRuleWithoutCriteria(ctx context.Context, name string, selector *resourceapi.DeviceTaintSelector, taint resourceapi.DeviceTaint) {
	ginkgo.GinkgoHelper()
	gomega.Expect(ptr.Deref(selector, resourceapi.DeviceTaintSelector{})).To(gomega.BeZero())
	gomega.Expect(taint.Effect).To(gomega.Equal(resourceapi.DeviceTaintEffectNoSchedule))
	s.createTaintRule(ctx, name, selector, taint)
}

func (s *Nodes) createTaintRule(ctx context.Context, name string, selector *resourceapi.DeviceTaintSelector, taint resourceapi.DeviceTaint) {
	ginkgo.GinkgoHelper()
	ginkgo.By("creating device taint rule " + name)
	if len(s.rules) == 0 {
		s.env.Cleanups = append(s.env.Cleanups, s.removeTaintRules)
	}
	rule := &resourceapi.DeviceTaintRule{
		ObjectMeta: metav1.ObjectMeta{Name: s.ruleName(name), Labels: s.env.Labels},
		Spec:       resourceapi.DeviceTaintRuleSpec{DeviceSelector: selector, Taint: taint},
	}
	s.rules = append(s.rules, name)
	gomega.Expect(taintrules.Create(ctx, s.env.Client, rule)).To(gomega.Succeed())
}

// ChangeTaintRule changes a rule of [Nodes.CreateTaintRule].
func (s *Nodes) ChangeTaintRule(ctx context.Context, name string, change func(*resourceapi.DeviceTaintRuleSpec)) {
	ginkgo.GinkgoHelper()
	ginkgo.By("changing device taint rule " + name)
	gomega.Expect(taintrules.Update(ctx, s.env.Client, s.ruleName(name), change)).To(gomega.Succeed())
}

// GetTaintRule returns the spec of a rule of [Nodes.CreateTaintRule] as the API
// server has stored it.
func (s *Nodes) GetTaintRule(ctx context.Context, name string) resourceapi.DeviceTaintRuleSpec {
	ginkgo.GinkgoHelper()
	rule, err := taintrules.Get(ctx, s.env.Client, s.ruleName(name))
	gomega.Expect(err).NotTo(gomega.HaveOccurred())
	return rule.Spec
}

// WaitForEvictionInProgress waits until the condition EvictionInProgress of a rule of
// [Nodes.CreateTaintRule] is true, or is not.
func (s *Nodes) WaitForEvictionInProgress(ctx context.Context, name string, want bool, because string) {
	ginkgo.GinkgoHelper()
	ginkgo.By(fmt.Sprintf("waiting until device taint rule %s states whether pods have to be evicted: %t", name, want))
	gomega.Eventually(ctx, func(ctx context.Context) (bool, error) { return s.isEvicting(ctx, name) }).
		WithTimeout(s.env.Timeouts.Recovery).Should(gomega.Equal(want), "the condition EvictionInProgress of device taint rule %s should be true: %t, because %s", name, want, because)
}

// WaitForEvictionObserved waits until the condition EvictionInProgress of a rule of
// [Nodes.CreateTaintRule] is true, or false, for the present generation of the rule.
func (s *Nodes) WaitForEvictionObserved(ctx context.Context, name string, want bool, because string) {
	ginkgo.GinkgoHelper()
	ginkgo.By(fmt.Sprintf("waiting until device taint rule %s states for its present spec whether pods have to be evicted: %t", name, want))
	status := metav1.ConditionFalse
	if want {
		status = metav1.ConditionTrue
	}
	gomega.Eventually(ctx, func(ctx context.Context) error {
		rule, err := taintrules.Get(ctx, s.env.Client, s.ruleName(name))
		if err != nil {
			return err
		}
		condition := meta.FindStatusCondition(rule.Status.Conditions, resourceapi.DeviceTaintConditionEvictionInProgress)
		switch {
		case condition == nil:
			return errors.New("there is no such condition")
		case condition.ObservedGeneration != rule.Generation:
			return fmt.Errorf("it is for generation %d, and that of the rule is %d", condition.ObservedGeneration, rule.Generation)
		case condition.Status != status:
			return fmt.Errorf("it is %s", condition.Status)
		}
		return nil
	}).WithTimeout(s.env.Timeouts.Recovery).Should(gomega.Succeed(), "the condition EvictionInProgress of device taint rule %s should be %s for its present spec, because %s", name, status, because)
}

// ExpectNoEvictionInProgress asserts that the condition EvictionInProgress of a rule of
// [Nodes.CreateTaintRule] is not true.
func (s *Nodes) ExpectNoEvictionInProgress(ctx context.Context, name, because string) {
	ginkgo.GinkgoHelper()
	evicting, err := s.isEvicting(ctx, name)
	gomega.Expect(err).NotTo(gomega.HaveOccurred())
	gomega.Expect(evicting).To(gomega.BeFalse(), "the condition EvictionInProgress of device taint rule %s should not be true, because %s", name, because)
}

func (s *Nodes) isEvicting(ctx context.Context, name string) (bool, error) {
	rule, err := taintrules.Get(ctx, s.env.Client, s.ruleName(name))
	if err != nil {
		return false, err
	}
	return meta.IsStatusConditionTrue(rule.Status.Conditions, resourceapi.DeviceTaintConditionEvictionInProgress), nil
}

// OtherDriver returns the name of a driver that does not exist.
func (s *Nodes) OtherDriver() string { return s.env.UniqueName() + ".other.dev" }

// DeleteTaintRule deletes a rule of [Nodes.CreateTaintRule].
func (s *Nodes) DeleteTaintRule(ctx context.Context, name string) {
	ginkgo.GinkgoHelper()
	ginkgo.By("deleting device taint rule " + name)
	gomega.Expect(taintrules.Delete(ctx, s.env.Client, s.ruleName(name), metav1.DeleteOptions{})).To(gomega.Succeed())
	s.env.Deleted("DeviceTaintRule", s.ruleName(name))
}

// ruleName returns the name of a rule in the cluster, where all runs need
// different names.
func (s *Nodes) ruleName(name string) string { return s.env.UniqueName() + "-" + name }

func (s *Nodes) removeTaintRules(ctx context.Context) error {
	var errs []error
	for _, name := range s.rules {
		if err := taintrules.Delete(ctx, s.env.Client, s.ruleName(name), metav1.DeleteOptions{}); err != nil && !apierrors.IsNotFound(err) {
			errs = append(errs, fmt.Errorf("delete device taint rule %s: %w", name, err))
		}
	}
	return errors.Join(errs...)
}
