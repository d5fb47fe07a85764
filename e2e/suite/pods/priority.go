// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package pods

import (
	"context"
	"fmt"

	"github.com/onsi/ginkgo/v2"
	"github.com/onsi/gomega"
	corev1 "k8s.io/api/core/v1"
	schedulingapi "k8s.io/api/scheduling/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/draconform/draconform/e2e/suite/env"
)

// CreatePriorityClass creates a PriorityClass and returns its name, which is the
// given name with the unique name of the spec as prefix. The class is deleted at
// the end of the spec. An API server rejects pods of a class until it has observed
// the class, so CreatePriorityClass waits for that. Pods without a class have the
// priority 0, unless the cluster has another default. The spec must have
// [env.NeedsSimulatedNodes], because the class is cluster-scoped.
func CreatePriorityClass(ctx context.Context, e *env.Env, name string, priority int32) string {
	ginkgo.GinkgoHelper()
	ginkgo.By(fmt.Sprintf("creating priority class %s with the priority %d", name, priority))
	classes := e.Client.SchedulingV1().PriorityClasses()
	class := &schedulingapi.PriorityClass{
		ObjectMeta: metav1.ObjectMeta{Name: e.UniqueName() + "-" + name, Labels: e.Labels}, Value: priority,
		Description: "Pods of a spec about preemption.",
	}
	_, err := classes.Create(ctx, class, metav1.CreateOptions{})
	if env.MayHaveCreated(err) {
		ginkgo.DeferCleanup(func(ctx ginkgo.SpecContext) { //nolint:contextcheck // The spec's context has ended by then.
			gomega.Expect(classes.Delete(ctx, class.Name, metav1.DeleteOptions{})).To(gomega.Or(gomega.Succeed(), gomega.Satisfy(apierrors.IsNotFound)))
		}, ginkgo.NodeTimeout(e.Timeouts.Deletion))
	}
	gomega.Expect(err).NotTo(gomega.HaveOccurred())
	ofClass := Options{Change: func(pod *corev1.PodSpec) { pod.PriorityClassName = class.Name }}
	gomega.Eventually(ctx, func(ctx context.Context) error {
		_, err := create(ctx, e, "try", ofClass, metav1.CreateOptions{DryRun: []string{metav1.DryRunAll}}, nil)
		return err
	}).WithTimeout(e.Timeouts.PodStart).Should(gomega.Succeed(), "the API server should accept pods of priority class %s", class.Name)
	return class.Name
}
