// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package claims

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/onsi/ginkgo/v2"
	"github.com/onsi/gomega"
	corev1 "k8s.io/api/core/v1"
	resourceapi "k8s.io/api/resource/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/util/retry"

	"github.com/draconform/draconform/e2e/subject"
	"github.com/draconform/draconform/e2e/suite/env"
)

// CreateDeviceClass creates a DeviceClass with the same selectors as the
// device's class and other configuration. It returns the device with the new
// class. The class is deleted at the end of the spec, which must have
// [env.NeedsDeviceClasses].
func CreateDeviceClass(ctx context.Context, e *env.Env, name string, device subject.Device, config ...resourceapi.DeviceClassConfiguration) subject.Device {
	ginkgo.GinkgoHelper()
	ginkgo.By("creating device class " + name)
	classes := e.Client.ResourceV1().DeviceClasses()
	original, err := classes.Get(ctx, device.Class, metav1.GetOptions{})
	gomega.Expect(err).NotTo(gomega.HaveOccurred())
	device.Class = CreateDeviceClassWithSpec(ctx, e, name, resourceapi.DeviceClassSpec{Selectors: original.Spec.Selectors, Config: config})
	return device
}

// CreateExtendedResource creates a DeviceClass whose devices are those that
// requests for the device get, and provide an extended resource (KEP-5004). It
// returns the name of the resource. The class is deleted at the end of the spec,
// which must have [env.NeedsDeviceClasses].
func CreateExtendedResource(ctx context.Context, e *env.Env, name string, device subject.Device) corev1.ResourceName {
	ginkgo.GinkgoHelper()
	ginkgo.By("creating device class " + name)
	original, err := e.Client.ResourceV1().DeviceClasses().Get(ctx, device.Class, metav1.GetOptions{})
	gomega.Expect(err).NotTo(gomega.HaveOccurred())
	spec := resourceapi.DeviceClassSpec{Selectors: original.Spec.Selectors, Config: original.Spec.Config}
	if device.Selector != "" {
		spec.Selectors = append(spec.Selectors, resourceapi.DeviceSelector{CEL: &resourceapi.CELDeviceSelector{Expression: string(device.Selector)}})
	}
	for _, config := range device.Config {
		spec.Config = append(spec.Config, resourceapi.DeviceClassConfiguration{DeviceConfiguration: config})
	}
	resource := e.UniqueName() + ".draconform.dev/" + name
	spec.ExtendedResourceName = &resource
	CreateDeviceClassWithSpec(ctx, e, name, spec)
	return corev1.ResourceName(resource)
}

// GetDeviceClass returns a DeviceClass.
func GetDeviceClass(ctx context.Context, e *env.Env, class string) *resourceapi.DeviceClass {
	ginkgo.GinkgoHelper()
	got, err := e.Client.ResourceV1().DeviceClasses().Get(ctx, class, metav1.GetOptions{})
	gomega.Expect(err).NotTo(gomega.HaveOccurred())
	return got
}

// UpdateDeviceClass changes the spec of a DeviceClass in place.
func UpdateDeviceClass(ctx context.Context, e *env.Env, class string, change func(*resourceapi.DeviceClassSpec)) {
	ginkgo.GinkgoHelper()
	ginkgo.By("changing device class " + class)
	// Something in the cluster may add labels to it at any time.
	err := retry.RetryOnConflict(retry.DefaultBackoff, func() error {
		got := GetDeviceClass(ctx, e, class)
		change(&got.Spec)
		_, err := e.Client.ResourceV1().DeviceClasses().Update(ctx, got, metav1.UpdateOptions{})
		return err
	})
	gomega.Expect(err).NotTo(gomega.HaveOccurred())
}

// DeleteDeviceClass deletes a DeviceClass before the end of the spec.
func DeleteDeviceClass(ctx context.Context, e *env.Env, class string) {
	ginkgo.GinkgoHelper()
	ginkgo.By("deleting device class " + class)
	gomega.Expect(e.Client.ResourceV1().DeviceClasses().Delete(ctx, class, metav1.DeleteOptions{})).To(gomega.Succeed())
}

// CreateDeviceClassWithSpec creates a DeviceClass that is deleted at the end of
// the spec. It returns the name of the class, which is the given name with the
// unique name of the spec as prefix. With an empty name it is the unique name
// alone.
func CreateDeviceClassWithSpec(ctx context.Context, e *env.Env, name string, spec resourceapi.DeviceClassSpec) string {
	ginkgo.GinkgoHelper()
	full := DeviceClassName(e, name)
	class := &resourceapi.DeviceClass{ObjectMeta: metav1.ObjectMeta{Name: full, Labels: e.Labels}, Spec: spec}
	_, err := e.Client.ResourceV1().DeviceClasses().Create(ctx, class, metav1.CreateOptions{})
	if env.MayHaveCreated(err) {
		e.DeviceClasses = append(e.DeviceClasses, full)
	}
	gomega.Expect(err).NotTo(gomega.HaveOccurred())
	return full
}

// DeviceClassName returns the name of the class that
// [CreateDeviceClassWithSpec] creates.
func DeviceClassName(e *env.Env, name string) string {
	return strings.TrimSuffix(e.UniqueName()+"-"+name, "-")
}

// DeleteDeviceClasses deletes the DeviceClasses that the spec created with
// [CreateDeviceClass] or [CreateDeviceClassWithSpec].
func DeleteDeviceClasses(ctx context.Context, e *env.Env) error {
	var errs []error
	for _, name := range e.DeviceClasses {
		if err := e.Client.ResourceV1().DeviceClasses().Delete(ctx, name, metav1.DeleteOptions{}); err != nil && !apierrors.IsNotFound(err) {
			errs = append(errs, fmt.Errorf("delete device class %s: %w", name, err))
		}
	}
	return errors.Join(errs...)
}
