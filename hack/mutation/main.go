// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

// Command mutation changes packages that only compute, one operator at a time, and
// lets their own tests find it. For each change that no test finds, mutation.yaml
// must have the reason why it makes no difference. Then the command writes the score
// of the package and these changes into docs/faults.md, as soon as the package is
// done: all packages together take hours.
package main

import (
	"context"
	_ "embed"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"slices"

	"github.com/draconform/draconform/clusters/progress"
	"github.com/draconform/draconform/hack/internal/command"
	"github.com/draconform/draconform/hack/internal/measure"
)

//go:embed mutation.yaml
var data []byte

// errUnread is returned if a change that no test finds is not in mutation.yaml. The
// output contains these changes.
var errUnread = errors.New("tests do not find changes that are not in hack/mutation/mutation.yaml")

func main() { command.Main(mutation) }

// options are the command line flags.
type options struct {
	focus, tool, artifacts, page string
}

func parse(args []string, out io.Writer) (options, error) {
	var o options
	f := flag.NewFlagSet("mutation", flag.ContinueOnError)
	f.SetOutput(out)
	f.StringVar(&o.focus, "package", "", "regular expression that packages must match")
	f.StringVar(&o.tool, "gremlins", filepath.Join("bin", "gremlins"), "the command that changes packages and runs their tests")
	f.StringVar(&o.artifacts, "artifacts", filepath.Join("_artifacts", "mutation"), "folder for the results of each package")
	f.StringVar(&o.page, "page", filepath.Join("docs", "faults.md"), "page whose parts about these packages are replaced")
	return o, command.Parse(f, args)
}

func mutation(ctx context.Context, args []string, out io.Writer) error {
	o, err := parse(args, out)
	if err != nil {
		return err
	}
	c, err := load(data)
	if err != nil {
		return err
	}
	matches, err := regexp.Compile(o.focus)
	if err != nil {
		return fmt.Errorf("%w: choose packages: %w", command.ErrUsage, err)
	}
	chosen := slices.DeleteFunc(slices.Clone(c.Packages), func(p string) bool { return !matches.MatchString(p) })
	if len(chosen) == 0 {
		return fmt.Errorf("%w: no package matches %q", command.ErrUsage, o.focus)
	}
	if err := os.MkdirAll(o.artifacts, 0o755); err != nil {
		return fmt.Errorf("create the folder of the results: %w", err)
	}
	results, err := o.test(ctx, c, chosen, progress.New(out))
	if err != nil {
		return err
	}
	fmt.Fprint(out, table(results))
	var unread []change
	for _, r := range results {
		unread = append(unread, c.unread(r)...)
	}
	for _, s := range unread {
		fmt.Fprintf(out, "no test finds: %s\n", s)
	}
	if len(unread) > 0 {
		return errUnread
	}
	return nil
}

// test changes packages, one after the other. It writes the parts of the page about
// those of which all changes were found or read.
func (o options) test(ctx context.Context, c catalogue, packages []string, p *progress.Reporter) ([]result, error) {
	var results []result
	for _, pkg := range packages {
		task := p.Task("package %s", pkg)
		r, err := unleash(ctx, o.tool, pkg, o.artifacts)
		if err == nil && len(c.unread(r)) == 0 {
			err = o.write(ctx, c, r)
		}
		if err != nil {
			return nil, task.Fail(err)
		}
		task.Done(fmt.Sprintf("%d changes, %d not found", len(r.Changes), len(r.with(lived))))
		results = append(results, r)
	}
	return results, nil
}

func (o options) write(ctx context.Context, c catalogue, r result) error {
	on, err := measure.DescribeMachine(ctx)
	if err != nil {
		return fmt.Errorf("write the changes of package %s: %w", r.Package, err)
	}
	return c.part(r, on).Write(o.page)
}
