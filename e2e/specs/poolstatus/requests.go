// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package poolstatus

import (
	"context"
	"errors"
	"fmt"

	"github.com/onsi/ginkgo/v2"
	"github.com/onsi/gomega"
	resourcev1alpha3 "k8s.io/api/resource/v1alpha3"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	clientv1alpha3 "k8s.io/client-go/kubernetes/typed/resource/v1alpha3"

	"github.com/draconform/draconform/e2e/suite/env"
)

// requests creates requests for reports, and deletes them at the end of the
// spec. They are cluster-scoped.
type requests struct {
	env *env.Env
	// created is the number of requests.
	created int
}

func newRequests(e *env.Env) *requests {
	r := &requests{env: e}
	e.Cleanups = append(e.Cleanups, r.remove)
	return r
}

func (r *requests) client() clientv1alpha3.ResourcePoolStatusRequestInterface {
	return r.env.Client.ResourceV1alpha3().ResourcePoolStatusRequests()
}

// name returns the name of the nth request in the cluster, where all runs need
// different names.
func (r *requests) name(n int) string { return fmt.Sprintf("%s-%d", r.env.UniqueName(), n) }

// create creates a request and returns its name.
func (r *requests) create(ctx context.Context, spec resourcev1alpha3.ResourcePoolStatusRequestSpec) (string, error) {
	name := r.name(r.created)
	request := &resourcev1alpha3.ResourcePoolStatusRequest{ObjectMeta: metav1.ObjectMeta{Name: name, Labels: r.env.Labels}, Spec: spec}
	if _, err := r.client().Create(ctx, request, metav1.CreateOptions{}); err != nil {
		return "", fmt.Errorf("create request %s: %w", name, err)
	}
	r.created++
	return name, nil
}

// waitForAnswer waits until a request is answered, and returns it.
func (r *requests) waitForAnswer(ctx context.Context, name string) *resourcev1alpha3.ResourcePoolStatusRequest {
	ginkgo.GinkgoHelper()
	var answered *resourcev1alpha3.ResourcePoolStatusRequest
	gomega.Eventually(ctx, func(ctx context.Context) (err error) {
		if answered, err = r.client().Get(ctx, name, metav1.GetOptions{}); err != nil {
			return err
		}
		if answered.Status == nil {
			return fmt.Errorf("request %s has no status", name)
		}
		return nil
	}).WithTimeout(r.env.Timeouts.PodStart).Should(gomega.Succeed(), "a request for the status of pools should be answered")
	return answered
}

// expectReport asserts that requests are answered with a report. A request is
// answered once, by what its controller has observed until then, so that an
// early answer may be out of date: the request is then repeated.
func (r *requests) expectReport(ctx context.Context, because string, spec resourcev1alpha3.ResourcePoolStatusRequestSpec, want report) {
	ginkgo.GinkgoHelper()
	ginkgo.By("requesting the status of pools, because " + because)
	gomega.Eventually(ctx, func(ctx context.Context) error {
		name, err := r.create(ctx, spec)
		if err != nil {
			return err
		}
		answered := r.waitForAnswer(ctx, name)
		if !meta.IsStatusConditionTrue(answered.Status.Conditions, resourcev1alpha3.ResourcePoolStatusRequestConditionComplete) {
			return fmt.Errorf("request %s is not complete: %v", name, answered.Status.Conditions)
		}
		return want.differs(reportOf(answered.Status))
	}).WithTimeout(r.env.Timeouts.PodStart).Should(gomega.Succeed(), "the status of pools should be as published and allocated: %s", because)
}

func (r *requests) remove(ctx context.Context) error {
	var errs []error
	for n := range r.created {
		if err := r.client().Delete(ctx, r.name(n), metav1.DeleteOptions{}); err != nil && !apierrors.IsNotFound(err) {
			errs = append(errs, fmt.Errorf("delete request %s: %w", r.name(n), err))
		}
	}
	return errors.Join(errs...)
}
