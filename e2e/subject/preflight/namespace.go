// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package preflight

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/draconform/draconform/e2e/subject"
	"github.com/draconform/draconform/e2e/suite/env"
	"github.com/draconform/draconform/e2e/suite/guest"
)

// roomInQuota is how many more pods and claims a quota should allow: as many as
// specs have at the same time.
const roomInQuota = 10

// checkNamespace checks whether pods of specs can be created in the namespace.
func (c *checker) checkNamespace() error {
	c.report(OK, "image", "pods.image", "pods of specs use the image %s: all nodes with devices must be able to pull it", c.image())
	if err := c.checkRuntimeClass(); err != nil {
		return err
	}
	if c.Namespace == "" {
		return nil
	}
	namespace, err := c.client.CoreV1().Namespaces().Get(c.ctx, c.Namespace, metav1.GetOptions{})
	switch {
	case apierrors.IsNotFound(err):
		c.report(Problem, "namespace", "", "namespace %s does not exist: create it, or leave out --namespace so that a run creates one", c.Namespace)
		return nil
	case apierrors.IsForbidden(err): // Dry runs show whether it can be used.
	case err != nil:
		return fmt.Errorf("get namespace %s: %w", c.Namespace, err)
	case namespace.DeletionTimestamp != nil:
		c.report(Problem, "namespace", "", "namespace %s is being deleted: use another one", c.Namespace)
		return nil
	}
	if err := c.checkSecrets(); err != nil {
		return err
	}
	if err := c.checkQuota(); err != nil {
		return err
	}
	return c.checkAdmission()
}

func (c *checker) image() string { return cmp.Or(c.file.Pods.Image, c.Image) }

func (c *checker) checkRuntimeClass() error {
	name := c.file.Pods.RuntimeClassName
	if name == "" {
		return nil
	}
	_, err := c.client.NodeV1().RuntimeClasses().Get(c.ctx, name, metav1.GetOptions{})
	switch {
	case apierrors.IsNotFound(err):
		c.report(Problem, "pod", "pods.runtimeClassName", "RuntimeClass %s does not exist", name)
	case err != nil && !apierrors.IsForbidden(err):
		return fmt.Errorf("get RuntimeClass %s: %w", name, err)
	}
	return nil
}

func (c *checker) checkSecrets() error {
	for _, name := range c.file.Pods.ImagePullSecrets {
		_, err := c.client.CoreV1().Secrets(c.Namespace).Get(c.ctx, name, metav1.GetOptions{})
		switch {
		case apierrors.IsNotFound(err):
			c.report(Problem, "image", "pods.imagePullSecrets", "namespace %s has no Secret %s to pull the image with", c.Namespace, name)
		case err != nil && !apierrors.IsForbidden(err):
			return fmt.Errorf("get Secret %s/%s: %w", c.Namespace, name, err)
		}
	}
	return nil
}

// counted are the resources of quotas that every pod or claim of specs uses.
func counted(name corev1.ResourceName) bool {
	text := string(name)
	return text == "pods" || text == "count/pods" || text == "count/resourceclaims.resource.k8s.io" || strings.HasSuffix(text, ".deviceclass.resource.k8s.io/devices")
}

// checkQuota checks that quotas have room for the pods and claims of specs.
func (c *checker) checkQuota() error {
	quotas, err := c.client.CoreV1().ResourceQuotas(c.Namespace).List(c.ctx, metav1.ListOptions{})
	if apierrors.IsForbidden(err) {
		return nil // Dry runs show whether there is room for one pod.
	}
	if err != nil {
		return fmt.Errorf("list ResourceQuotas of namespace %s: %w", c.Namespace, err)
	}
	for i := range quotas.Items {
		hard := quotas.Items[i].Status.Hard
		for _, name := range slices.Sorted(maps.Keys(hard)) {
			left := hard[name]
			left.Sub(quotas.Items[i].Status.Used[name])
			if counted(name) && left.Cmp(resource.MustParse(fmt.Sprint(roomInQuota))) < 0 {
				c.report(Problem, "quota", "", "ResourceQuota %s of namespace %s has %s left of %s, specs have up to %d at the same time: raise it, or use another namespace", quotas.Items[i].Name, c.Namespace, left.String(), name, roomInQuota)
			}
		}
	}
	return nil
}

// checkAdmission creates claims and pods of specs as dry runs, so that admission
// decides: pod security, limits, quota and webhooks.
func (c *checker) checkAdmission() error {
	of, err := subject.Of(c.file)
	if err != nil {
		return err
	}
	rejections, err := guest.New(guest.Config{
		Client: c.client, Namespace: c.Namespace, Given: true, Architectures: c.Architectures,
		Subject: of, Workload: c.Image, Scheduler: c.Scheduler, Timeouts: env.DefaultTimeouts(),
	}).Admission(c.ctx)
	if err != nil {
		return err
	}
	for _, rejection := range rejections {
		c.report(Problem, "pod", "pods", "%v", rejection)
	}
	if len(rejections) == 0 {
		c.report(OK, "pod", "pods", "claims and pods of specs are admitted in namespace %s (dry run)", c.Namespace)
	}
	return nil
}
