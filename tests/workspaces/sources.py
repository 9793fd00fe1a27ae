"""One small source per language, and what is defined in it: kind, qualified name, first and last line."""
# ruff: noqa: E501 -- texts of other languages

from __future__ import annotations

PYTHON = '''import os

@keep
class Boat:
    """A boat."""

    @property
    def name(self):
        return os.name

    async def sail(self, speed):
        def inner():
            pass
        return speed

def main() -> None:
    Boat().sail(1)
'''
JAVASCRIPT = """export class Boat {
  sail(speed) {
    return speed;
  }
  stop = () => {
    return 0;
  };
}

export default function main() {
  return new Boat();
}

export const row = async (boat) => {
  return boat;
};
const LENGTH = 3;
exports.moor = function () {
  return 1;
};
"""
TSX = """export interface Hull {
  length: number;
}
export type Speed = number;
export enum Kind { Small, Large }
export abstract class Boat {
  @logged()
  sail(speed: Speed): void {
    return;
  }
}
export function main<T>(it: T): T {
  return it;
}
export const row = <T,>(it: T): T => {
  return it;
};
"""
TYPESCRIPT = TSX.replace("<T,>", "<T>").replace("return it;", "return <T>it;")
JAVA = """package p;

public class Boat {
    Boat() {}

    @Override
    public int sail(int speed) {
        return speed;
    }
    enum Kind { SMALL, LARGE }
}
interface Hull {
    int length();
}
record Place(int x, int y) {}
"""
GO = """package p

type Boat struct {
	name string
}

type Sailor interface {
	Sail() error
}

func (b *Boat) Sail(speed int) error {
	return nil
}

func main() {
}
"""
RUST = """#[derive(Debug)]
pub struct Boat {
    name: String,
}

impl Boat {
    #[inline]
    pub fn sail(&self) -> u8 {
        1
    }
}

pub trait Sailor {
    fn row(&self) {
    }
}

enum Kind { Small }

mod inner {
    pub fn main() {}
}
"""
C = """#include <stdio.h>

typedef struct boat {
    int length;
} boat_t;

struct hull { int depth; };
enum kind { SMALL, LARGE };

static struct boat *sail(struct boat *b, int speed)
{
    return b;
}

int main(void) { return 0; }
"""
CPP = """#include <string>

namespace sea {

class Boat {
public:
    int length() const { return 3; }
    void sail(int speed);
};

template <typename T>
T twice(T it)
{
    return it + it;
}

struct Hull {};

}

void sea::Boat::sail(int speed)
{
}
"""
C_SHARP = """namespace Sea
{
    public interface IHull { int Depth(); }

    public class Boat : IHull
    {
        public Boat() { }

        [Obsolete]
        public int Depth()
        {
            return 1;
        }
    }

    public struct Place { }
    public enum Kind { Small }
    public record Log(string Text);
}
"""
RUBY = """module Sea
  class Boat
    def sail(speed)
      speed
    end

    def self.build
      new
    end
  end
end

def main
  Sea::Boat.build
end
"""
PHP = """<?php
namespace Sea;

interface Hull {}

class Boat implements Hull
{
    public function sail(int $speed): int
    {
        return $speed;
    }
}

trait Floats {
    function float() {}
}

function main() {
    return new Boat();
}
"""

IN_TYPESCRIPT = [
        "interface Hull 1-3", "type Speed 4-4", "enum Kind 5-5", "class Boat 6-11", "method Boat.sail 7-10", "function main 12-14", "function row 15-17"
]  # fmt: skip
SOURCES: dict[str, tuple[str, str, list[str]]] = {
    "python": ("boat.py", PYTHON, [
        "class Boat 3-14", "method Boat.name 7-9", "method Boat.sail 11-14", "function sail.inner 12-13", "function main 16-17"]),
    "javascript": ("boat.js", JAVASCRIPT, [
        "class Boat 1-8", "method Boat.sail 2-4", "method Boat.stop 5-7", "function main 10-12", "function row 14-16", "method exports.moor 18-20"]),
    "typescript_without_jsx": ("boat.ts", TYPESCRIPT, IN_TYPESCRIPT),
    "typescript": ("boat.tsx", TSX, IN_TYPESCRIPT),
    "java": ("Boat.java", JAVA, [
        "class Boat 3-11", "constructor Boat.Boat 4-4", "method Boat.sail 6-9", "enum Boat.Kind 10-10", "interface Hull 12-14", "method Hull.length 13-13", "record Place 15-15"]),
    "go": ("boat.go", GO, [
        "struct Boat 3-5", "interface Sailor 7-9", "method Boat.Sail 11-13", "function main 15-16"]),
    "rust": ("boat.rs", RUST, [
        "struct Boat 1-4", "impl Boat 6-11", "method Boat.sail 7-10", "trait Sailor 13-16", "method Sailor.row 14-15", "enum Kind 18-18", "module inner 20-22", "function main 21-21"]),
    "c": ("boat.c", C, [
        "type boat_t 3-5", "struct boat 3-5", "struct hull 7-7", "enum kind 8-8", "function sail 10-13", "function main 15-15"]),
    "cpp": ("boat.cpp", CPP, [
        "module sea 3-19", "class Boat 5-9", "method Boat.length 7-7", "function twice 11-15", "struct Hull 17-17", "method Boat.sail 21-23"]),
    "c_sharp": ("Boat.cs", C_SHARP, [
        "module Sea 1-19", "interface IHull 3-3", "method IHull.Depth 3-3", "class Boat 5-14", "constructor Boat.Boat 7-7", "method Boat.Depth 9-13", "struct Place 16-16", "enum Kind 17-17", "record Log 18-18"]),
    "ruby": ("boat.rb", RUBY, [
        "module Sea 1-11", "class Boat 2-10", "method Boat.sail 3-5", "method Boat.build 7-9", "function main 13-15"]),
    "php": ("boat.php", PHP, [
        "interface Hull 4-4", "class Boat 6-12", "method Boat.sail 8-11", "trait Floats 14-16", "method Floats.float 15-15", "function main 18-20"]),
}  # fmt: skip
