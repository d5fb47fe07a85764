// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package action_test

import (
	"os"
	"path/filepath"
	"testing"

	. "github.com/onsi/gomega"

	"github.com/draconform/draconform/e2e/report"
)

// command returns the draconform of "make action". Other tests have a stand-in, whose
// flags nothing checks.
func command(t *testing.T) string {
	t.Helper()
	path := os.Getenv("DRACONFORM")
	if path == "" {
		t.Skip("make action sets DRACONFORM to a built command")
	}
	return path
}

// A scheduler is judged as a job of GitHub judges it: all steps run with the command
// itself, in a control plane of this machine.
func TestActionWithTheCommand(t *testing.T) {
	g := NewWithT(t)
	r := newRunner(t, map[string]string{"provider": "control-plane", "labels": "scheduler", "flags": "--id=partition-each-counter-counts\n--parallel=1"})
	r.use(command(t))
	outputs := r.run()
	g.Expect(r.failed).To(BeFalse(), r.logs)
	g.Expect(r.calls()).To(Equal([]string{build}))
	g.Expect(outputs["verdict"]).To(Equal("passed"), r.logs)
	read, err := report.Read(outputs["report"])
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(read.Run.ID).To(Equal(filepath.Base(outputs["folder"])))
	g.Expect(outputs["evidence"]).To(BeARegularFile())
	g.Expect(r.summary()).To(ContainSubstring("draconform: passed"))
	g.Expect(r.used).To(ContainElement("actions/upload-artifact"))
}

// A flag that does not exist ends the run before its start. The job still has a summary.
func TestActionWithAnUnknownFlag(t *testing.T) {
	g := NewWithT(t)
	r := newRunner(t, map[string]string{"provider": "control-plane", "flags": "--no-such-flag"})
	r.use(command(t))
	outputs := r.run()
	g.Expect(r.failed).To(BeTrue())
	g.Expect(r.logs).To(ContainSubstring("unknown flag: --no-such-flag"))
	g.Expect(outputs["verdict"]).To(Equal("none"))
	g.Expect(r.summary()).To(ContainSubstring("no verdict"))
}

// A kubeconfig without a context ends the job when the driver file is compared with the
// cluster. There is nothing to remove.
func TestActionWithACommandAndNoCluster(t *testing.T) {
	g := NewWithT(t)
	r := newRunner(t, map[string]string{"kubeconfig": "config", "driver-file": "driver.yaml", "ready-timeout": "0"})
	r.use(command(t))
	content, err := os.ReadFile(filepath.Join(checkout, "e2e/vendors/test-driver.yaml"))
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(os.WriteFile(filepath.Join(r.workspace, "driver.yaml"), content, 0o600)).To(Succeed())
	g.Expect(os.WriteFile(filepath.Join(r.workspace, "config"), []byte("apiVersion: v1\nkind: Config\n"), 0o600)).To(Succeed())
	outputs := r.run()
	g.Expect(r.failed).To(BeTrue())
	g.Expect(r.logs).To(ContainSubstring("the driver files do not suit the cluster"))
	g.Expect(outputs["verdict"]).To(BeEmpty())
	g.Expect(r.summary()).To(ContainSubstring("no verdict"))
}
