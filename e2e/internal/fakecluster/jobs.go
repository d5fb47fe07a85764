// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package fakecluster

import (
	"errors"
	"fmt"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
)

var jobsOf = batchv1.SchemeGroupVersion.WithResource("jobs")

// runJobs creates the next pod of each Job whose pods have failed so far, and
// removes the pods of Jobs that do not exist any more.
func (c *Cluster) runJobs() error {
	jobs, jobsErr := shared[batchv1.Job](c, jobsOf, "Job")
	all, podsErr := c.sharedPods()
	if err := errors.Join(jobsErr, podsErr); err != nil {
		return err
	}
	byUID := map[types.UID]*batchv1.Job{}
	tried, over := map[types.UID]int{}, map[types.UID]bool{}
	for _, job := range jobs {
		byUID[job.UID] = job
	}
	var errs []error
	for _, pod := range all {
		owner := metav1.GetControllerOf(pod)
		if owner == nil || owner.Kind != "Job" {
			continue
		}
		if byUID[owner.UID] == nil {
			errs = append(errs, c.remove(pods, pod))
		}
		tried[owner.UID]++
		over[owner.UID] = over[owner.UID] || pod.Status.Phase != corev1.PodFailed
	}
	for _, job := range jobs {
		if !over[job.UID] && !c.SuspendsJobs && c.due(fmt.Sprintf("create pod %d of job", tried[job.UID]), key(job)) {
			errs = append(errs, c.store(pods, c.podOf(job, tried[job.UID])))
		}
	}
	return errors.Join(errs...)
}

// podOf returns the next pod of a Job.
func (c *Cluster) podOf(job *batchv1.Job, number int) *corev1.Pod {
	c.uids++
	pod := &corev1.Pod{
		ObjectMeta: *job.Spec.Template.ObjectMeta.DeepCopy(), Spec: *job.Spec.Template.Spec.DeepCopy(),
		Status: corev1.PodStatus{Phase: corev1.PodPending},
	}
	pod.Name, pod.Namespace, pod.UID = fmt.Sprintf("%s-%d", job.Name, number), job.Namespace, types.UID(fmt.Sprintf("uid-%d", c.uids))
	pod.OwnerReferences = []metav1.OwnerReference{*metav1.NewControllerRef(job, batchv1.SchemeGroupVersion.WithKind("Job"))}
	if pod.Labels == nil {
		pod.Labels = map[string]string{}
	}
	pod.Labels[batchv1.JobNameLabel] = job.Name
	c.admit(pod)
	return pod
}
