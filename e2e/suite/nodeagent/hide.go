// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package nodeagent

import (
	"context"
	"fmt"
	"slices"

	"github.com/onsi/ginkgo/v2"
	"github.com/onsi/gomega"

	"github.com/draconform/draconform/e2e/suite/env"
	"github.com/draconform/draconform/e2e/suite/operations"
)

// RemoveCDIFiles removes the CDI files that a driver wrote for a claim of the
// spec, as a reboot of the node does. before are the files before the claim was
// prepared, and answers are those for the claim. Files that existed before, or
// that also define other devices, may belong to other claims and stay. At the end
// of the spec, the files are there again, unless [DiscardCDIFiles] was called. It returns
// the paths, none if the driver wrote no such files.
func RemoveCDIFiles(ctx context.Context, e *env.Env, p Plugin, before CDIFiles, answers Answers) []string {
	ginkgo.GinkgoHelper()
	own := GetCDIFiles(ctx, e, p).onlyOf(answers, before)
	if len(own.Files) == 0 {
		return nil
	}
	var paths []string
	for _, file := range own.Files {
		paths = append(paths, file.Path)
	}
	ginkgo.By(fmt.Sprintf("removing the CDI files %v of node %s", paths, p.Node))
	ginkgo.DeferCleanup(func(ctx ginkgo.SpecContext) {
		gomega.Eventually(ctx, func(ctx context.Context) error {
			ctx, cancel := context.WithTimeout(ctx, requestTimeout)
			defer cancel()
			return e.Agent.RestoreCDIFiles(ctx, p.Node, paths)
		}).WithTimeout(e.Timeouts.Deletion).Should(gomega.Succeed(), "the node agent should restore the CDI files of node %s", p.Node)
	}, ginkgo.NodeTimeout(e.Timeouts.Deletion))
	gomega.Expect(e.Agent.HideCDIFiles(ctx, p.Node, own)).To(gomega.Succeed(), "the node agent should remove the CDI files of node %s", p.Node)
	gomega.Expect(GetCDIFiles(ctx, e, p).onlyOf(answers, before).Files).To(gomega.BeEmpty(), "the CDI files of node %s should be removed", p.Node)
	return paths
}

// DiscardCDIFiles makes sure that files that [RemoveCDIFiles] has removed do not come back at the
// end of the spec: those of a claim that is unprepared.
func DiscardCDIFiles(ctx context.Context, e *env.Env, p Plugin, paths []string) {
	ginkgo.GinkgoHelper()
	gomega.Expect(e.Agent.DiscardCDIFiles(ctx, p.Node, paths)).To(gomega.Succeed(), "the node agent should forget the CDI files of node %s", p.Node)
}

// onlyOf returns those of the files that did not exist before, and that define
// only devices of the answers.
func (f CDIFiles) onlyOf(answers Answers, before CDIFiles) operations.CDIFileVersions {
	devices := answers.CDIDevices()
	isOther := func(device string) bool { return !slices.Contains(devices, device) }
	var own operations.CDIFileVersions
	for _, file := range f {
		existed := slices.ContainsFunc(before, func(b operations.CDIFile) bool { return b.Path == file.Path })
		if !existed && file.Error == "" && len(file.Devices) > 0 && !slices.ContainsFunc(file.Devices, isOther) {
			own.Files = append(own.Files, operations.CDIFileVersion{Path: file.Path, SHA256: file.SHA256})
		}
	}
	return own
}
