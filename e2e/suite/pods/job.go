// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package pods

import (
	"context"
	"fmt"
	"slices"

	"github.com/onsi/ginkgo/v2"
	"github.com/onsi/gomega"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"

	"github.com/draconform/draconform/e2e/suite/env"
)

// CreateJob creates a Job that runs one pod at a time, with a claim from a
// ResourceClaimTemplate, until one succeeds or several have failed. It is deleted
// at the end of the spec. The spec must have [env.NeedsSimulatedNodes] and
// [env.NeedsOwnNamespace].
func CreateJob(ctx context.Context, e *env.Env, name, template string) {
	ginkgo.GinkgoHelper()
	ginkgo.By(fmt.Sprintf("creating job %s, whose pods have claims from template %s", name, template))
	pod, err := newPod(e, name, nil)
	gomega.Expect(err).NotTo(gomega.HaveOccurred())
	pod.Spec.RestartPolicy = corev1.RestartPolicyNever
	UseTemplate(&pod.Spec, template)
	created, err := e.Client.BatchV1().Jobs(e.Namespace).Create(ctx, &batchv1.Job{
		ObjectMeta: metav1.ObjectMeta{Name: name, Namespace: e.Namespace, Labels: e.Labels},
		Spec: batchv1.JobSpec{
			BackoffLimit: ptr.To[int32](3),
			Template:     corev1.PodTemplateSpec{ObjectMeta: metav1.ObjectMeta{Labels: pod.Labels}, Spec: pod.Spec},
		},
	}, metav1.CreateOptions{})
	gomega.Expect(err).NotTo(gomega.HaveOccurred())
	ginkgo.DeferCleanup(func(ctx ginkgo.SpecContext) { //nolint:contextcheck // The spec's context has ended by then.
		if err := deleteJob(ctx, e, name); !apierrors.IsNotFound(err) {
			gomega.Expect(err).NotTo(gomega.HaveOccurred())
		}
	}, ginkgo.NodeTimeout(e.Timeouts.Deletion))
	if ptr.Deref(created.Spec.Suspend, false) {
		e.NotApplicable(fmt.Sprintf("needs jobs as it creates them: something in the cluster, such as a webhook, has suspended job %s", name))
	}
}

func deleteJob(ctx context.Context, e *env.Env, name string) error {
	return e.Client.BatchV1().Jobs(e.Namespace).Delete(ctx, name, metav1.DeleteOptions{PropagationPolicy: ptr.To(metav1.DeletePropagationBackground)})
}

// WaitForPodOfJob waits until a Job has one more pod than the given ones, and
// returns its name.
func WaitForPodOfJob(ctx context.Context, e *env.Env, job, because string, known ...string) string {
	ginkgo.GinkgoHelper()
	ginkgo.By("waiting for a pod of job " + job)
	var name string
	gomega.Eventually(ctx, func(ctx context.Context) error {
		all, err := e.Client.CoreV1().Pods(e.Namespace).List(ctx, metav1.ListOptions{LabelSelector: batchv1.JobNameLabel + "=" + job})
		if err != nil {
			return err
		}
		for i := range all.Items {
			if !slices.Contains(known, all.Items[i].Name) {
				name = all.Items[i].Name
				return nil
			}
		}
		return fmt.Errorf("job %s has %d pods", job, len(all.Items))
	}).WithTimeout(e.Timeouts.PodStart).Should(gomega.Succeed(), "job %s should create a pod, because %s", job, because)
	return name
}
