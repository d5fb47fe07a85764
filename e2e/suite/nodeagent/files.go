// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package nodeagent

import (
	"context"
	"errors"
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/onsi/ginkgo/v2"
	"github.com/onsi/gomega"

	"github.com/draconform/draconform/e2e/suite/env"
	"github.com/draconform/draconform/e2e/suite/operations"
)

// CDIFiles are the files in the CDI directories of a node, of all drivers.
type CDIFiles []operations.CDIFile

// GetCDIFiles returns the CDI files of a node.
func GetCDIFiles(ctx context.Context, e *env.Env, p Plugin) (files CDIFiles) {
	ginkgo.GinkgoHelper()
	gomega.Eventually(ctx, func(ctx context.Context) (err error) {
		files, err = listCDIFiles(ctx, e, p)
		return err
	}).WithTimeout(e.Timeouts.Recovery).Should(gomega.Succeed(), "the node agent should list the CDI files of node %s", p.Node)
	return files
}

// listCDIFiles is [GetCDIFiles] without retries.
func listCDIFiles(ctx context.Context, e *env.Env, p Plugin) (CDIFiles, error) {
	ctx, cancel := context.WithTimeout(ctx, requestTimeout)
	defer cancel()
	return e.Agent.CDIFiles(ctx, p.Node)
}

// Define reports whether the files define any of the CDI devices.
func (f CDIFiles) Define(devices []string) bool {
	return slices.ContainsFunc(devices, func(device string) bool { return len(f.of(device)) > 0 })
}

// of returns the valid files that define a CDI device.
func (f CDIFiles) of(device string) []string {
	var paths []string
	for _, file := range f {
		if file.Error == "" && slices.Contains(file.Devices, device) {
			paths = append(paths, file.Path)
		}
	}
	return paths
}

// ExpectCDIDevices asserts that each CDI device in the answers of a driver is
// defined by one valid file of a directory. Container runtimes do not find
// devices that two files of a directory define.
func ExpectCDIDevices(ctx context.Context, e *env.Env, p Plugin, answers Answers) {
	ginkgo.GinkgoHelper()
	files := GetCDIFiles(ctx, e, p)
	for _, device := range answers.CDIDevices() {
		paths := files.of(device)
		gomega.Expect(paths).NotTo(gomega.BeEmpty(), "%s should have written a valid CDI file for %s, which it returned%s", p, device, files.invalid())
		dirs := map[string]string{}
		for _, file := range paths {
			gomega.Expect(dirs).NotTo(gomega.HaveKey(path.Dir(file)), "only one file of a directory should define %s, not %v", device, paths)
			dirs[path.Dir(file)] = file
		}
	}
}

// MissingCDIDevices states which CDI devices in the answers of a driver no valid file
// defines. It is empty if there are none.
func MissingCDIDevices(ctx context.Context, e *env.Env, p Plugin, answers Answers) string {
	ginkgo.GinkgoHelper()
	if err := GetCDIFiles(ctx, e, p).missing(answers); err != nil {
		return fmt.Sprintf("%s returned CDI devices without files: %v", p, err)
	}
	return ""
}

// missing returns an error about the CDI devices of answers that no valid file defines.
func (f CDIFiles) missing(answers Answers) error {
	var errs []error
	for _, device := range answers.CDIDevices() {
		if len(f.of(device)) == 0 {
			errs = append(errs, fmt.Errorf("no valid file defines %s%s", device, f.invalid()))
		}
	}
	return errors.Join(errs...)
}

// WaitForCDIDevices waits until each CDI device in the answers of a driver is
// defined by a valid file, without a call of the driver.
func WaitForCDIDevices(ctx context.Context, e *env.Env, p Plugin, answers Answers, because string) {
	ginkgo.GinkgoHelper()
	gomega.Eventually(ctx, func(ctx context.Context) error {
		files, err := listCDIFiles(ctx, e, p)
		if err != nil {
			return err
		}
		return files.missing(answers)
	}).WithTimeout(e.Timeouts.Recovery).Should(gomega.Succeed(), "%s should have CDI files for the devices that it returned, because %s", p, because)
}

// invalid describes the files that container runtimes ignore.
func (f CDIFiles) invalid() string {
	var out strings.Builder
	for _, file := range f {
		if file.Error != "" {
			fmt.Fprintf(&out, "; %s is not valid: %s", file.Path, file.Error)
		}
	}
	return out.String()
}

// WaitForCDIDevicesRemoved waits until no CDI devices and files of unprepared
// claims are left. answers are those for the claims. Files and devices that
// existed before are ignored unless the UID of a claim is in their names: a
// driver may have CDI devices that do not depend on claims. For the same reason, those
// with the name of a device may stay, which a driver may define when it is first used.
func WaitForCDIDevicesRemoved(ctx context.Context, e *env.Env, p Plugin, before CDIFiles, answers Answers) {
	ginkgo.GinkgoHelper()
	ginkgo.By("comparing the CDI files of node " + p.Node)
	gomega.Eventually(ctx, func(ctx context.Context) error {
		now, err := listCDIFiles(ctx, e, p)
		if err != nil {
			return err
		}
		return now.left(before, answers)
	}).WithTimeout(e.Timeouts.Deletion).Should(gomega.Succeed(), "%s should remove the CDI devices of claims that are unprepared", p)
}

// left returns an error if CDI devices or files of claims are left.
func (f CDIFiles) left(before CDIFiles, answers Answers) error {
	var left []error
	for _, device := range answers.CDIDevices() {
		if answers.isDevice(device) {
			continue
		}
		if paths := f.of(device); len(paths) > 0 && (answers.areNamedIn(device) || len(before.of(device)) == 0) {
			left = append(left, fmt.Errorf("%s is still defined in %v", device, paths))
		}
	}
	for _, file := range f {
		if answers.areNamedIn(path.Base(file.Path)) {
			left = append(left, fmt.Errorf("%s has the UID of an unprepared claim in its name", file.Path))
		}
	}
	return errors.Join(left...)
}

// isDevice reports whether a CDI device has the name of a device of the answers, as in
// example.com/gpu=gpu-0.
func (a Answers) isDevice(cdi string) bool {
	_, name, _ := strings.Cut(cdi, "=")
	for _, devices := range a {
		if slices.ContainsFunc(devices, func(d operations.PreparedDevice) bool { return d.Device == name }) {
			return true
		}
	}
	return false
}

// areNamedIn reports whether a name contains the UID of a claim of the answers.
func (a Answers) areNamedIn(name string) bool {
	for uid := range a {
		if strings.Contains(name, uid) {
			return true
		}
	}
	return false
}
