// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package devices

import (
	"context"
	"errors"
	"fmt"
	"regexp"

	"github.com/onsi/ginkgo/v2"
	"github.com/onsi/gomega"
	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/dynamic-resource-allocation/deviceattribute"

	"github.com/draconform/draconform/e2e/suite/env"
)

// standardText has the formats of standard attributes with text. Releases may add
// other attributes.
var standardText = []struct {
	name   resourceapi.QualifiedName
	format *regexp.Regexp
}{
	{deviceattribute.StandardDeviceAttributePCIeRoot, regexp.MustCompile(`^pci[0-9a-fA-F]{4,}:[0-9a-fA-F]{2}$`)},
	{deviceattribute.StandardDeviceAttributePCIBusID, regexp.MustCompile(`^[0-9a-fA-F]{4,}:[0-9a-fA-F]{2}:[0-9a-fA-F]{2}\.[0-7]$`)},
}

// ExpectStandardAttributes asserts that those of the standard attributes that a driver
// publishes have the values that all drivers agree on. Constraints compare them with
// those of other drivers.
func ExpectStandardAttributes(ctx context.Context, e *env.Env, driver string) {
	ginkgo.GinkgoHelper()
	ginkgo.By("checking the standard attributes of the devices of driver " + driver)
	var errs []error
	gomega.Eventually(ctx, func(ctx context.Context) error {
		published, err := ListSlices(ctx, e, driver)
		errs = nil
		for _, slice := range published {
			for _, device := range slice.Spec.Devices {
				if err := checkStandard(device.Attributes); err != nil {
					errs = append(errs, fmt.Errorf("device %s of slice %s: %w", device.Name, slice.Name, err))
				}
			}
		}
		return err
	}).WithTimeout(e.Timeouts.Response).Should(gomega.Succeed())
	gomega.Expect(errors.Join(errs...)).To(gomega.Succeed(), "the standard attributes that driver %s publishes should have the standard format", driver)
}

// checkStandard returns an error if a standard attribute has another format. Devices
// with several values, such as those of a whole node, have lists of them.
func checkStandard(attributes map[resourceapi.QualifiedName]resourceapi.DeviceAttribute) error {
	var errs []error
	for _, standard := range standardText {
		attribute, ok := attributes[standard.name]
		if !ok {
			continue
		}
		all := attribute.StringValues
		if attribute.StringValue != nil {
			all = append([]string{*attribute.StringValue}, all...)
		}
		if len(all) == 0 {
			errs = append(errs, fmt.Errorf("%s should be text", standard.name))
		}
		for _, value := range all {
			if !standard.format.MatchString(value) {
				errs = append(errs, fmt.Errorf("%s is %q, which does not match %s", standard.name, value, standard.format))
			}
		}
	}
	return errors.Join(append(errs, checkNUMANode(attributes))...)
}

// checkNUMANode returns an error if a device has a NUMA node that no machine has. One
// without a NUMA node lacks the attribute.
func checkNUMANode(attributes map[resourceapi.QualifiedName]resourceapi.DeviceAttribute) error {
	const name = deviceattribute.StandardDeviceAttributeNUMANode
	attribute, ok := attributes[name]
	if !ok {
		return nil
	}
	all := attribute.IntValues
	if attribute.IntValue != nil {
		all = append([]int64{*attribute.IntValue}, all...)
	}
	if len(all) == 0 {
		return fmt.Errorf("%s should be a number", name)
	}
	for _, node := range all {
		if node < 0 {
			return fmt.Errorf("%s is %d", name, node)
		}
	}
	return nil
}
