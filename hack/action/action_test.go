// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

// Package action_test tests the action of this repository and its workflows
// without GitHub.
package action_test

import (
	"maps"
	"path/filepath"
	"strings"
	"testing"

	. "github.com/onsi/gomega"
)

// build is the first command of each run.
const build = "go build -trimpath -o TEMP/draconform/bin/ ./e2e/cmd/draconform"

func TestDriverIsJudgedInAClusterOfTheAction(t *testing.T) {
	g := NewWithT(t)
	r := newRunner(t, map[string]string{
		"driver-file": "driver.yaml\n  more.yaml  \n\n", "images": "registry.example.com/gpu:v1\nimage.tar", "install": "echo \"installed with $KUBECONFIG\"\necho twice",
		"release": "1.36", "gates": "alpha", "claim": "driver", "labels": "smoke && !slow", "flags": "--profile=driver\n--parallel=2",
	})
	r.file("driver.yaml")
	r.file("more.yaml")
	outputs := r.run()
	g.Expect(r.failed).To(BeFalse(), r.logs)
	g.Expect(r.calls()).To(Equal([]string{
		build, "draconform --version",
		"draconform node-image --release 1.36",
		"draconform cache save TEMP/draconform/node-image.tar.zst",
		"draconform cluster create --name draconform-XXXX --kubeconfig TEMP/draconform/kubeconfig-XXXX --release 1.36 --gates alpha --scheduler kube-scheduler --workers 2",
		"draconform images TEMP/draconform/suite.tar",
		"draconform cluster load draconform-XXXX TEMP/draconform/suite.tar registry.example.com/gpu:v1 image.tar",
		"draconform driver check WORKSPACE/driver.yaml WORKSPACE/more.yaml --live",
		"draconform run --run-id ID --artifacts TEMP/draconform/artifacts --driver WORKSPACE/driver.yaml --driver WORKSPACE/more.yaml " +
			"--kubeconfig TEMP/draconform/kubeconfig-XXXX --kind-cluster draconform-XXXX --scheduler kube-scheduler --claim driver --labels smoke && !slow --profile=driver --parallel=2",
		"draconform report TEMP/draconform/artifacts/ID",
		"draconform report TEMP/draconform/artifacts/ID --output summary",
		"draconform cluster list --output json",
		"draconform cluster delete draconform-XXXX",
	}))
	g.Expect(r.logs).To(MatchRegexp(`installed with .*/draconform/kubeconfig-[0-9a-f]{4}\ntwice\n`))
	g.Expect(r.used).To(Equal([]string{"actions/setup-go", "actions/cache", "actions/cache/restore", "actions/upload-artifact"}))
	folder := r.outputs["prepare"]["folder"]
	g.Expect(outputs).To(Equal(map[string]string{
		"verdict": "passed", "folder": folder, "report": filepath.Join(folder, "report.yaml"), "evidence": filepath.Join(folder, "evidence.md"),
	}))
	g.Expect(r.summary()).To(Equal("## summary of " + filepath.Base(folder) + "\n"))
}

// What a failed step leaves is removed, and the job has a summary.
func TestCleanUpFollowsEveryFailure(t *testing.T) {
	for name, test := range map[string]struct {
		env     map[string]string
		inputs  map[string]string
		verdict string
		summary string
		last    string
	}{
		"of specs":              {map[string]string{"RUN_STATUS": "1"}, nil, "failed", "## summary of", "draconform cluster delete draconform-XXXX"},
		"of the start":          {map[string]string{"RUN_STATUS": "2"}, nil, "none", "## ! draconform: no verdict", "draconform cluster delete draconform-XXXX"},
		"of the installation":   {nil, map[string]string{"install": "false\necho next"}, "", "no verdict", "draconform cluster delete draconform-XXXX"},
		"of the driver":         {map[string]string{"UNREADY": "1000000"}, map[string]string{"ready-timeout": "0"}, "", "no verdict", "draconform cluster delete draconform-XXXX"},
		"of the driver file":    {map[string]string{"UNREADY": "1", "UNREADY_STATUS": "2"}, nil, "", "no verdict", "draconform cluster delete draconform-XXXX"},
		"of a half-made one":    {map[string]string{"CREATE_STATUS": "1"}, nil, "", "no verdict", "draconform cluster delete draconform-XXXX"},
		"of the suite's images": {nil, map[string]string{"images": "missing", "install": "exit 3"}, "", "no verdict", "draconform cluster delete draconform-XXXX"},
	} {
		t.Run(name, func(t *testing.T) {
			g := NewWithT(t)
			inputs := map[string]string{"driver-file": "driver.yaml", "install": "true"}
			maps.Copy(inputs, test.inputs)
			r := newRunner(t, inputs)
			r.file("driver.yaml")
			maps.Copy(r.env, test.env)
			outputs := r.run()
			g.Expect(r.failed).To(BeTrue())
			g.Expect(outputs["verdict"]).To(Equal(test.verdict))
			g.Expect(r.summary()).To(ContainSubstring(test.summary))
			g.Expect(r.calls()[len(r.calls())-1]).To(Equal(test.last))
			g.Expect(r.used).To(ContainElement("actions/upload-artifact"))
			g.Expect(r.logs).NotTo(ContainSubstring("next"), "a failed command ends the installation")
		})
	}
}

func TestClusterThatWasNotCreatedIsNotDeleted(t *testing.T) {
	g := NewWithT(t)
	r := newRunner(t, map[string]string{"driver-file": "driver.yaml", "artifact": ""})
	r.file("driver.yaml")
	r.env["NODE_IMAGE_STATUS"] = "1"
	r.run()
	g.Expect(r.failed).To(BeTrue())
	g.Expect(r.calls()[len(r.calls())-1]).To(Equal("draconform cluster list --output json"))
	g.Expect(r.used).NotTo(ContainElement("actions/upload-artifact"), "without a name")
}

func TestObjectsOfAKilledRunAreRemoved(t *testing.T) {
	g := NewWithT(t)
	r := newRunner(t, map[string]string{"kubeconfig": "config", "driver-file": "driver.yaml"})
	r.file("driver.yaml")
	r.file("config")
	r.env["RUN_STATUS"] = "137"
	outputs := r.run()
	g.Expect(r.failed).To(BeTrue())
	g.Expect(outputs["verdict"]).To(Equal("none"))
	g.Expect(r.calls()[len(r.calls())-1]).To(Equal("draconform clean --provider existing --run ID"))
}

func TestVersionIsInstalledWithoutTheSourceOfTheAction(t *testing.T) {
	g := NewWithT(t)
	r := newRunner(t, map[string]string{"version": "v9.9.9"})
	r.run()
	g.Expect(r.calls()[0]).To(Equal("go install -trimpath github.com/draconform/draconform/e2e/cmd/draconform@v9.9.9"))
	g.Expect(r.outputs["prepare"]["source"]).To(BeEmpty())
}

func TestDriverThatIsNotReadyIsWaitedFor(t *testing.T) {
	g := NewWithT(t)
	r := newRunner(t, map[string]string{"driver-file": "driver.yaml"})
	r.file("driver.yaml")
	r.env["UNREADY"] = "3"
	r.run()
	g.Expect(r.failed).To(BeFalse(), r.logs)
	g.Expect(strings.Join(r.calls(), "\n")).To(MatchRegexp(`(draconform driver check [^\n]*\n){4}draconform run`))
	g.Expect(strings.Count(r.logs, "checked")).To(Equal(1), "only the last check is printed")
}

func TestNodeImageIsCached(t *testing.T) {
	t.Run("that was built", func(t *testing.T) {
		g := NewWithT(t)
		r := newRunner(t, map[string]string{})
		r.env["NODE_IMAGE_BUILT"] = "true"
		r.run()
		g.Expect(r.used).To(ContainElement("actions/cache/save"))
	})
	t.Run("that the cache has", func(t *testing.T) {
		g := NewWithT(t)
		r := newRunner(t, map[string]string{})
		r.outputs["node-image"]["cache-hit"] = "true"
		r.env["CACHE_STATUS"] = "1"
		r.restoreNodeImage()
		r.run()
		g.Expect(r.failed).To(BeFalse(), "a node image that cannot be loaded is built again")
		g.Expect(r.calls()).To(ContainElement("draconform cache load TEMP/draconform/node-image.tar.zst"))
		g.Expect(r.calls()).NotTo(ContainElement(ContainSubstring("cache save")))
		g.Expect(r.used).NotTo(ContainElement("actions/cache/save"))
	})
}

func TestOtherProviders(t *testing.T) {
	for name, test := range map[string]struct {
		inputs map[string]string
		want   []string
	}{
		"the suite's drivers in kind": {map[string]string{"release": "1.35", "scheduler": "draconform"}, []string{
			"draconform node-image --release 1.35",
			"draconform cache save TEMP/draconform/node-image.tar.zst",
			"draconform run --run-id ID --artifacts TEMP/draconform/artifacts --provider kind --release 1.35 --gates default --scheduler draconform",
			"draconform report TEMP/draconform/artifacts/ID",
			"draconform report TEMP/draconform/artifacts/ID --output summary",
			"draconform clean --provider kind --run ID",
		}},
		"a control plane": {map[string]string{"provider": "control-plane", "labels": "scheduler"}, []string{
			"draconform run --run-id ID --artifacts TEMP/draconform/artifacts --provider control-plane --release  --gates default --scheduler kube-scheduler --labels scheduler",
			"draconform report TEMP/draconform/artifacts/ID",
			"draconform report TEMP/draconform/artifacts/ID --output summary",
		}},
		"an existing cluster": {map[string]string{"kubeconfig": "config", "driver-file": "driver.yaml"}, []string{
			"draconform driver check WORKSPACE/driver.yaml --live",
			"draconform run --run-id ID --artifacts TEMP/draconform/artifacts --driver WORKSPACE/driver.yaml --kubeconfig WORKSPACE/config",
			"draconform report TEMP/draconform/artifacts/ID",
			"draconform report TEMP/draconform/artifacts/ID --output summary",
		}},
		"the suite's drivers in an existing cluster": {map[string]string{"kubeconfig": "config"}, []string{
			"draconform run --run-id ID --artifacts TEMP/draconform/artifacts --provider existing --kubeconfig WORKSPACE/config",
			"draconform report TEMP/draconform/artifacts/ID",
			"draconform report TEMP/draconform/artifacts/ID --output summary",
		}},
	} {
		t.Run(name, func(t *testing.T) {
			g := NewWithT(t)
			r := newRunner(t, test.inputs)
			r.file("driver.yaml")
			r.file("config")
			r.run()
			g.Expect(r.failed).To(BeFalse(), r.logs)
			g.Expect(r.calls()).To(Equal(append([]string{build, "draconform --version"}, test.want...)))
		})
	}
}

func TestWrongInputsEndBeforeAnythingIsCreated(t *testing.T) {
	for name, test := range map[string]struct {
		inputs map[string]string
		want   string
	}{
		"a missing driver file":            {map[string]string{"driver-file": "missing.yaml"}, "the driver file missing.yaml does not exist"},
		"an unknown provider":              {map[string]string{"provider": "gke"}, "the provider gke is not known"},
		"a kubeconfig for kind":            {map[string]string{"provider": "kind", "kubeconfig": "config"}, "kubeconfig is for the provider existing"},
		"a missing kubeconfig":             {map[string]string{"kubeconfig": "missing"}, "the kubeconfig does not exist"},
		"a release of an existing cluster": {map[string]string{"provider": "existing", "release": "1.36"}, "release is for clusters that are created"},
		"drivers without nodes":            {map[string]string{"provider": "control-plane", "driver-file": "driver.yaml"}, "driver files need nodes"},
		"images without a cluster":         {map[string]string{"images": "a:b"}, "images are loaded into a kind cluster for driver files only"},
		"an installation of nothing":       {map[string]string{"install": "true"}, "install is for drivers of driver files"},
		"no number of seconds":             {map[string]string{"ready-timeout": "5m"}, "ready-timeout is a number of seconds"},
	} {
		t.Run(name, func(t *testing.T) {
			g := NewWithT(t)
			r := newRunner(t, test.inputs)
			r.file("driver.yaml")
			r.file("config")
			r.run()
			g.Expect(r.failed).To(BeTrue())
			g.Expect(r.logs).To(ContainSubstring("::error::draconform: " + test.want))
			g.Expect(r.calls()).To(BeEmpty())
			g.Expect(r.summary()).To(ContainSubstring("no verdict"))
		})
	}
}

// An input is data, whatever it looks like.
func TestInputsAreNotEvaluated(t *testing.T) {
	g := NewWithT(t)
	evil := "$(touch evil)`touch evil`\"; touch evil; \""
	r := newRunner(t, map[string]string{"labels": evil, "claim": evil, "gates": evil, "scheduler": evil, "release": evil, "version": evil, "flags": evil})
	r.run()
	g.Expect(filepath.Join(r.workspace, "evil")).NotTo(BeAnExistingFile())
	g.Expect(strings.Join(r.calls(), "\n")).To(ContainSubstring("--labels " + evil))
}
