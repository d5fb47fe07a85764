// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package nodeimage

import (
	"bytes"
	"cmp"
	"fmt"
	"go/ast"
	"go/build"
	"go/format"
	"go/parser"
	"go/token"
	"path"
	"path/filepath"
	"strings"
)

// program is the name of the program that contains a release's commands, and of
// its folder.
const program = "kubernetes"

// oneProgram returns the source of a program that contains several commands. It
// runs the command whose name it is called by. As separate programs, each
// command would contain most of Kubernetes. The keys of commands are the names,
// the values are the folders of the main packages. An empty goos means the
// operating system of nodes.
func oneProgram(commands map[string]string, goos string) (map[string][]byte, error) {
	main, err := sources.ReadFile("files/kubernetes.go.txt")
	if err != nil {
		return nil, err
	}
	files := map[string][]byte{program + "/main.go": main}
	for name, dir := range commands {
		pkg := strings.ReplaceAll(name, "-", "")
		copied, err := importable(dir, pkg, cmp.Or(goos, "linux"))
		if err != nil {
			return nil, fmt.Errorf("read the main package of %s: %w", name, err)
		}
		for file, content := range copied {
			files[path.Join(pkg, file)] = content
		}
		files[program+"/"+pkg+".go"] = fmt.Appendf(nil, "package main\n\nimport %q\n\nfunc init() { commands[%q] = %s.Main }\n", "draconform.dev/throwaway/"+pkg, name, pkg)
	}
	return files, nil
}

// importable returns the main package of a folder as an importable package:
// with the name pkg and an exported main function, for an operating system.
func importable(dir, pkg, goos string) (map[string][]byte, error) {
	found, err := (&build.Context{GOOS: goos, GOARCH: build.Default.GOARCH, Compiler: "gc", ReleaseTags: build.Default.ReleaseTags}).ImportDir(dir, 0)
	if err != nil {
		return nil, err
	}
	files := map[string][]byte{}
	exported := false
	for _, name := range found.GoFiles {
		set := token.NewFileSet()
		f, err := parser.ParseFile(set, filepath.Join(dir, name), nil, parser.ParseComments|parser.SkipObjectResolution)
		if err != nil {
			return nil, err
		}
		f.Name.Name = pkg
		for _, d := range f.Decls {
			if fn, ok := d.(*ast.FuncDecl); ok && fn.Recv == nil && fn.Name.Name == "main" {
				fn.Name.Name, exported = "Main", true
			}
		}
		var content bytes.Buffer
		if err := format.Node(&content, set, f); err != nil {
			return nil, err
		}
		files[name] = content.Bytes()
	}
	if !exported {
		return nil, fmt.Errorf("%s has no main function", dir)
	}
	return files, nil
}
